-- 0018_bus_bandwidth.sql - what the collectives of a run carried over the bus, so that
-- a trend of many runs reads a few numbers per run.
CREATE TABLE run_bus (
	run_id   bigint NOT NULL,
	kind     text COLLATE "C" NOT NULL, -- a word of server/model/collective.def
	calls    bigint NOT NULL CHECK (calls > 0), -- whose size and factor are known
	bytes    double precision NOT NULL CHECK (bytes > 0), -- their bytes x factor
	total_ns bigint NOT NULL CHECK (total_ns >= 0),
	PRIMARY KEY (run_id, kind) INCLUDE (bytes, total_ns)
);

-- The bytes that the all-to-alls of a run exchanged with each rank of a process group.
CREATE TABLE run_exchange (
	run_id      bigint NOT NULL,
	rank        int NOT NULL,
	-- rank of a row of run_collective, one of the calls
	collective  int NOT NULL CHECK (collective >= 0),
	calls       bigint NOT NULL CHECK (calls > 0),
	known_calls bigint NOT NULL CHECK (known_calls BETWEEN 0 AND calls),
	-- why the others are unknown: a word of server/model/collective.def
	reason      text COLLATE "C",
	peers       int NOT NULL CHECK (peers >= 0),
	-- of the known calls, by the position of the other rank (packed)
	sent        bytea,
	received    bytea,
	PRIMARY KEY (run_id, rank)
);

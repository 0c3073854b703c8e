-- 0019_graph_sketch.sql - finds captures of CUDA graphs that differ from a replay by
-- a few kernels, and the runs whose replays a later capture explains; what is known
-- about each graph that a run replayed.

-- The sketch of the graph (server/model/graphs/graph_sketch.h). NULL in rows from before;
-- such a graph is found by its key only.
ALTER TABLE learned_graph
	ADD COLUMN kernels_n int CHECK (kernels_n > 0),
	ADD COLUMN bands  bigint[],
	ADD COLUMN names  bigint[],
	ADD COLUMN counts bigint[],
	ADD CHECK (num_nulls(kernels_n, bands, names, counts) IN (0, 4)),
	ADD CHECK (cardinality(names) = cardinality(counts));
-- With 5,000 captures of 324 kernels, a search took 0.5 ms with this index and 45 ms
-- without it; a process may replay hundreds of graphs. The searches of 10,000 replayed
-- graphs for a new capture took 0.3 ms with the indexes below and 86 ms without them.
-- An entry is searched as soon as it is stored: the list of pending entries would be
-- read by each search.
CREATE INDEX learned_graph_bands ON learned_graph USING gin (bands)
	WITH (fastupdate = off);

CREATE TABLE run_replayed_graph (
	run_id     bigint NOT NULL,
	rank       int NOT NULL, -- most kernels first
	key        bytea NOT NULL CHECK (octet_length(key) = 32),
	replays    bigint NOT NULL CHECK (replays > 0),
	kernels    int NOT NULL CHECK (kernels > 0), -- of one replay
	total_ns   bigint NOT NULL CHECK (total_ns >= 0),
	attributed bigint NOT NULL
		CHECK (attributed BETWEEN 0 AND replays * kernels),
	captures   int NOT NULL CHECK (captures >= 0),
	captured   int CHECK (captured > 0),
	matched    int CHECK (matched BETWEEN 1 AND least(kernels, captured)),
	source     text CHECK (source IN ('run', 'upload', 'other')),
	source_upload_id bigint,
	reason     text CHECK (reason IN ('skipped', 'many', 'small', 'no_capture',
		'ambiguous', 'unmatched', 'no_operator')),
	bands      bigint[], -- NULL: a later capture cannot explain more
	names      bigint[],
	counts     bigint[],
	PRIMARY KEY (run_id, rank),
	CHECK (num_nulls(captured, matched, source) IN (0, 3)),
	CHECK ((captures > 0) = (source IS NOT NULL)),
	CHECK ((source = 'other') = (source_upload_id IS NOT NULL)),
	CHECK ((attributed < replays * kernels) = (reason IS NOT NULL)),
	CHECK (num_nulls(bands, names, counts) IN (0, 3)),
	CHECK (cardinality(names) = cardinality(counts))
);
CREATE INDEX run_replayed_graph_bands ON run_replayed_graph USING gin (bands)
	WITH (fastupdate = off);
CREATE INDEX run_replayed_graph_key ON run_replayed_graph (key, run_id);

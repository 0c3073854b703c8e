-- 0016_fleet_best.sql - the best efficiency that the fleet reached, by platform,
-- operator, dtype and size class of a call.

ALTER TABLE run_shape
	-- The power of two of its W (leg compute) or Q (leg memory); NULL without a
	-- roofline bound, and in rows from before.
	ADD COLUMN size_class int CHECK (size_class >= 0);

-- What has a fleet-best, and how many runs came or went since it was computed.
-- dtype '': unknown.
CREATE TABLE fleet_best_source (
	platform text COLLATE "C" NOT NULL,
	operator text COLLATE "C" NOT NULL,
	dtype    text COLLATE "C" NOT NULL,
	runs     bigint NOT NULL DEFAULT 0 CHECK (runs >= 0),
	changes  bigint NOT NULL CHECK (changes >= 0),
	PRIMARY KEY (platform, operator, dtype)
);
CREATE INDEX fleet_best_due ON fleet_best_source (platform, operator, dtype)
	WHERE changes > 0;

-- Only what enough calls and runs reached. Of all projects together (project ''),
-- and of each project, for readers that may see no other.
CREATE TABLE fleet_best (
	all_projects boolean NOT NULL,
	project      text COLLATE "C" NOT NULL,
	platform     text COLLATE "C" NOT NULL,
	operator     text COLLATE "C" NOT NULL,
	dtype        text COLLATE "C" NOT NULL,
	leg          text NOT NULL CHECK (leg IN ('compute', 'memory')),
	size_class   int NOT NULL CHECK (size_class >= 0),
	s            double precision NOT NULL CHECK (s > 0 AND s <= 1),
	run_id       bigint NOT NULL, -- reached it; may be deleted since
	runs         bigint NOT NULL CHECK (runs > 0),
	calls        bigint NOT NULL CHECK (calls > 0),
	PRIMARY KEY (all_projects, project, platform, operator, dtype, leg,
		size_class),
	CHECK (NOT all_projects OR project = '')
);
CREATE INDEX fleet_best_of ON fleet_best (platform, operator, dtype);

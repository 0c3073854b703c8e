-- 0032_fusion.sql - pairs of operator calls of a run that one kernel could execute.

ALTER TABLE run
	-- How many rows run_fusion has; NULL: unknown, because the run has no single
	-- launches or was analyzed before this migration.
	ADD COLUMN fusions int CHECK (fusions >= 0);

CREATE TABLE run_fusion (
	run_id          bigint NOT NULL,
	rank            int NOT NULL CHECK (rank >= 0),
	first_operator  int NOT NULL, -- run_shape.operator
	first_rank      int NOT NULL, -- run_shape.rank
	second_operator int NOT NULL,
	second_rank     int NOT NULL,
	kind            text COLLATE "C" NOT NULL,
	consumers       text COLLATE "C" NOT NULL
		CHECK (consumers IN ('unknown', 'second', 'others')),
	replayed        boolean NOT NULL, -- a CUDA graph launched both
	must_write      boolean NOT NULL, -- the tensor must be written all the same
	bytes           bigint CHECK (bytes > 0), -- of the tensor; NULL: unknown
	pairs           bigint NOT NULL CHECK (pairs > 0),
	first_ns        bigint NOT NULL CHECK (first_ns >= 0),
	second_ns       bigint NOT NULL CHECK (second_ns >= 0),
	gap_ns          bigint NOT NULL CHECK (gap_ns >= 0),
	PRIMARY KEY (run_id, rank)
);

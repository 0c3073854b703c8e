-- 0021_kernel_profile.sql - what a kernel profiler (Nsight Compute) measured of kernels
-- of a run: the files as they were sent, and what they say about a run's kernels.

CREATE TABLE kernel_profile_file (
	run_id     bigint NOT NULL,
	seq        int NOT NULL CHECK (seq >= 0),
	name       text NOT NULL,
	sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
	content    bytea NOT NULL, -- unchanged
	created_at timestamptz NOT NULL DEFAULT now(),
	-- What a reader of the whole file counted.
	launches   bigint NOT NULL CHECK (launches >= 0),
	bad_lines  bigint NOT NULL CHECK (bad_lines >= 0),
	bad_values bigint NOT NULL CHECK (bad_values >= 0),
	cut        boolean NOT NULL,
	PRIMARY KEY (run_id, seq)
);

-- Launches of one kernel with one grid and block, as the profiler measured them.
CREATE TABLE run_kernel_profile (
	run_id                bigint NOT NULL,
	rank                  int NOT NULL CHECK (rank >= 0),
	kernel_id             bigint REFERENCES kernel (id), -- NULL: none, or several fit
	matched_by            text CHECK (matched_by IN ('name', 'spelling', 'base_name', 'several')),
	name                  text COLLATE "C" NOT NULL, -- as in the file
	grid_x                int,
	grid_y                int,
	grid_z                int,
	block_x               int,
	block_y               int,
	block_z               int,
	launches              bigint NOT NULL CHECK (launches > 0),
	duration_ns           double precision,
	sm_throughput_pct     double precision,
	memory_throughput_pct double precision,
	dram_throughput_pct   double precision,
	dram_bytes_per_s      double precision,
	l1_hit_pct            double precision,
	l2_hit_pct            double precision,
	occupancy_pct         double precision,
	registers_per_thread  double precision,
	ipc                   double precision,
	stall                 text[], -- the most frequent reason first
	stall_pct             bytea, -- packed
	PRIMARY KEY (run_id, rank),
	CHECK ((kernel_id IS NULL) = (coalesce(matched_by, 'several') = 'several')),
	CHECK (num_nulls(stall, stall_pct) IN (0, 2))
);

-- In rows by grid and block: the only shape with such launches of the kernel, or that
-- there are several. All are NULL if there is none, and in rows from before.
ALTER TABLE run_kernel
	ADD COLUMN shape_operator int, -- run_shape.operator
	ADD COLUMN shape_rank     int, -- run_shape.rank
	ADD COLUMN shapes_several boolean,
	ADD CONSTRAINT run_kernel_shape CHECK (num_nulls(shape_operator, shape_rank) IN (0, 2));

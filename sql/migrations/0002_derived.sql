-- 0002_derived.sql - what a rebuild makes again from the uploads: runs, their
-- tables and the dictionary of kernels.
--
-- Every table but the dictionary begins its primary key with run_id and
-- references nothing but the dictionary, so that it can be distributed.

CREATE TABLE kernel (
	id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	-- A unique index on the name itself would fail past 2,704 bytes.
	sha256        bytea NOT NULL UNIQUE
		CHECK (sha256 = sha256(convert_to(name, 'UTF8'))),
	name          text COLLATE "C" NOT NULL,
	mangled       text COLLATE "C",
	short_name    text COLLATE "C" NOT NULL,
	family        text COLLATE "C",
	defined_in    text COLLATE "C",
	launched_from text COLLATE "C",
	known_from    text COLLATE "C"
);

CREATE TABLE run (
	run_id           bigint PRIMARY KEY,
	upload_id        bigint NOT NULL,
	ordinal          int NOT NULL CHECK (ordinal >= 0),
	-- As people say it; run_identity holds it, this copy answers lists.
	name             text COLLATE "C" NOT NULL,
	project          text COLLATE "C" NOT NULL,
	workload         text COLLATE "C" NOT NULL,
	labels           jsonb NOT NULL,
	job              text COLLATE "C" NOT NULL,
	created_at       timestamptz NOT NULL,
	format           text COLLATE "C" NOT NULL,
	framework        text COLLATE "C",
	process_name     text COLLATE "C",
	host             text COLLATE "C",
	pid              bigint,
	rank             int CHECK (rank >= 0),
	world_size       int CHECK (world_size >= 0),
	started_utc_ns   bigint,
	span_ns          bigint NOT NULL CHECK (span_ns >= 0),
	busy_ns          bigint NOT NULL CHECK (busy_ns >= 0),
	kernel_ns        bigint NOT NULL CHECK (kernel_ns >= 0),
	launches         bigint NOT NULL CHECK (launches >= 0),
	kernels          bigint NOT NULL CHECK (kernels >= 0),
	copy_ns          bigint NOT NULL CHECK (copy_ns >= 0),
	copies           bigint NOT NULL CHECK (copies >= 0),
	device_names     text[] NOT NULL,
	notes            int NOT NULL CHECK (notes >= 0),
	worst_note       text CHECK (worst_note IN ('info', 'warn', 'loss', 'error')),
	analysis_version int NOT NULL CHECK (analysis_version > 0),
	CHECK ((notes = 0) = (worst_note IS NULL))
);
CREATE INDEX run_upload ON run (upload_id, ordinal);
-- One per sort order, so that a page costs a page.
CREATE INDEX run_created ON run (created_at, run_id);
CREATE INDEX run_busy ON run (busy_ns, run_id);
CREATE INDEX run_span ON run (span_ns, run_id);
CREATE INDEX run_launches ON run (launches, run_id);
-- And what selects few of many.
CREATE INDEX run_project ON run (project, created_at, run_id);
CREATE INDEX run_workload ON run (workload, created_at, run_id);
CREATE INDEX run_labels ON run USING gin (labels jsonb_path_ops);

CREATE TABLE run_device (
	run_id        bigint NOT NULL,
	number        int NOT NULL,
	name          text COLLATE "C",
	sm_count      int CHECK (sm_count >= 0),
	compute_major int CHECK (compute_major >= 0),
	compute_minor int CHECK (compute_minor >= 0),
	memory_bytes  bigint CHECK (memory_bytes >= 0),
	launches      bigint NOT NULL CHECK (launches >= 0),
	busy_ns       bigint NOT NULL CHECK (busy_ns >= 0),
	PRIMARY KEY (run_id, number)
);

-- split: 0 none, 1 by device, 2 by grid and block. rank: nsys' order.
CREATE TABLE run_kernel (
	run_id    bigint NOT NULL,
	split     smallint NOT NULL CHECK (split BETWEEN 0 AND 2),
	rank      int NOT NULL CHECK (rank >= 0),
	kernel_id bigint NOT NULL REFERENCES kernel (id),
	device    int,
	grid_x    int,
	grid_y    int,
	grid_z    int,
	block_x   int,
	block_y   int,
	block_z   int,
	instances bigint NOT NULL CHECK (instances > 0),
	total_ns  bigint NOT NULL CHECK (total_ns >= max_ns),
	min_ns    bigint NOT NULL CHECK (min_ns >= 0),
	max_ns    bigint NOT NULL CHECK (max_ns >= min_ns),
	avg_ns    double precision NOT NULL,
	med_ns    double precision NOT NULL,
	stddev_ns double precision NOT NULL,
	p90_ns    double precision NOT NULL,
	p99_ns    double precision NOT NULL,
	time_pct  double precision NOT NULL CHECK (time_pct BETWEEN 0 AND 100),
	PRIMARY KEY (run_id, split, rank),
	CHECK ((split = 1) = (device IS NOT NULL)),
	CHECK (split = 2 OR num_nonnulls(grid_x, grid_y, grid_z,
		block_x, block_y, block_z) = 0)
);

CREATE TABLE run_copy (
	run_id    bigint NOT NULL,
	split     smallint NOT NULL CHECK (split BETWEEN 0 AND 1),
	rank      int NOT NULL CHECK (rank >= 0),
	operation text COLLATE "C" NOT NULL,
	device    int,
	instances bigint NOT NULL CHECK (instances > 0),
	total_ns  bigint NOT NULL CHECK (total_ns >= max_ns),
	min_ns    bigint NOT NULL CHECK (min_ns >= 0),
	max_ns    bigint NOT NULL CHECK (max_ns >= min_ns),
	avg_ns    double precision NOT NULL,
	med_ns    double precision NOT NULL,
	stddev_ns double precision NOT NULL,
	p90_ns    double precision NOT NULL,
	p99_ns    double precision NOT NULL,
	time_pct  double precision NOT NULL CHECK (time_pct BETWEEN 0 AND 100),
	bytes     bigint NOT NULL CHECK (bytes >= 0),
	sized     bigint NOT NULL CHECK (sized BETWEEN 0 AND instances),
	PRIMARY KEY (run_id, split, rank),
	CHECK ((split = 1) = (device IS NOT NULL))
);

CREATE TABLE run_note (
	run_id   bigint NOT NULL,
	code     text COLLATE "C" NOT NULL,
	severity text NOT NULL CHECK (severity IN ('info', 'warn', 'loss', 'error')),
	count    bigint NOT NULL CHECK (count > 0),
	detail   text NOT NULL,
	PRIMARY KEY (run_id, code)
);

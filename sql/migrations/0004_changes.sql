-- 0004_changes.sql - what comparisons read: jobs, cycles, the time of each
-- function in each cycle with the counters beside it, collectives, surroundings.

-- A distributed execution: the runs of a project that name it, or those of one
-- upload that holds several ranks and names none. Its id lasts, as a run's does.
CREATE TABLE job (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	project    text COLLATE "C" NOT NULL CHECK (octet_length(project) <= 500),
	name       text COLLATE "C" NOT NULL CHECK (octet_length(name) <= 500),
	upload_id  bigint NOT NULL CHECK (upload_id >= 0), -- 0: it has a name
	created_at timestamptz NOT NULL DEFAULT now(),
	UNIQUE (project, name, upload_id),
	CHECK ((name = '') = (upload_id > 0))
);
CREATE INDEX job_project ON job (project, id);

ALTER TABLE run
	ADD COLUMN job_id           bigint,
	ADD COLUMN cycle_detector   text NOT NULL DEFAULT 'none' CHECK (cycle_detector
		IN ('none', 'annotation', 'period', 'window', 'told', 'named')),
	ADD COLUMN cycle_confidence double precision NOT NULL DEFAULT 0
		CHECK (cycle_confidence BETWEEN 0 AND 1),
	ADD COLUMN cycle_range      text COLLATE "C",
	ADD COLUMN cycles           int NOT NULL DEFAULT 0 CHECK (cycles >= 0),
	ADD COLUMN cycles_kept      int NOT NULL DEFAULT 0,
	-- Median duration of the kept ones.
	ADD COLUMN cycle_ns         double precision CHECK (cycle_ns >= 0),
	-- What repeats of a run have in common with it, as one hash.
	ADD COLUMN repeat_key       bytea CHECK (octet_length(repeat_key) = 32),
	ADD CONSTRAINT run_kept CHECK (cycles_kept BETWEEN 0 AND cycles);
CREATE INDEX run_job ON run (job_id, rank, run_id) WHERE job_id IS NOT NULL;
CREATE INDEX run_repeat ON run (project, workload, repeat_key, created_at, run_id)
	WHERE repeat_key IS NOT NULL;

CREATE TABLE run_cycle (
	run_id     bigint NOT NULL,
	cycle      int NOT NULL CHECK (cycle >= 0), -- place, from 0
	number     bigint NOT NULL,
	label      text COLLATE "C",
	start_ns   bigint,
	dur_ns     bigint CHECK (dur_ns >= 0),
	use        text NOT NULL CHECK (use IN ('kept', 'warmup', 'partial')),
	open       boolean NOT NULL,
	stratum    int NOT NULL CHECK (stratum >= 0),
	compute_ns bigint CHECK (compute_ns >= 0),
	comm_ns    bigint CHECK (comm_ns >= 0),
	copy_ns    bigint CHECK (copy_ns >= 0),
	idle_ns    bigint CHECK (idle_ns >= 0),
	sync_ns    bigint CHECK (sync_ns >= 0),
	launches   bigint NOT NULL CHECK (launches >= 0),
	PRIMARY KEY (run_id, cycle),
	CHECK (num_nulls(compute_ns, comm_ns, copy_ns, idle_ns) IN (0, 4)),
	CHECK (compute_ns + comm_ns + copy_ns + idle_ns = dur_ns)
);

CREATE TABLE run_stratum (
	run_id    bigint NOT NULL,
	stratum   int NOT NULL CHECK (stratum >= 0),
	text      text COLLATE "C" NOT NULL,
	phase     text CHECK (phase IN ('prefill', 'decode', 'mixed')),
	sequences bigint CHECK (sequences >= 0),
	tokens    bigint CHECK (tokens >= 0),
	kv_tokens bigint CHECK (kv_tokens >= 0),
	cycles    int NOT NULL CHECK (cycles >= 0), -- kept ones
	PRIMARY KEY (run_id, stratum)
);

CREATE TABLE run_work (
	run_id    bigint NOT NULL,
	rank      int NOT NULL CHECK (rank >= 0),
	stratum   int NOT NULL CHECK (stratum >= 0),
	kind      text NOT NULL CHECK (kind IN ('op', 'grid')),
	name      text COLLATE "C" NOT NULL,
	size      text COLLATE "C" NOT NULL,
	per_cycle double precision NOT NULL
		CHECK (per_cycle > 0 AND per_cycle < 'Infinity'),
	PRIMARY KEY (run_id, rank)
);

-- The columns of `bytea` below are packed numbers, one per cycle of run_axis
-- (sql/README.md): arrays take ten times as long to read. They lie in the rows
-- while these fit a page.

-- The cycles that patterns are told of, by their place in run_cycle; and how
-- much is told of them.
CREATE TABLE run_axis (
	run_id      bigint PRIMARY KEY,
	cycles      int NOT NULL CHECK (cycles >= 0),
	cycle       bytea NOT NULL,
	patterns    int NOT NULL CHECK (patterns >= 0),
	metrics     int NOT NULL CHECK (metrics >= 0),
	collectives int NOT NULL CHECK (collectives >= 0),
	-- Numbers in all of the packed columns, `cycle` among them.
	told        bigint NOT NULL CHECK (told >= 0)
);

-- A function on a device.
CREATE TABLE run_pattern (
	run_id    bigint NOT NULL,
	rank      int NOT NULL CHECK (rank >= 0),
	kernel_id bigint REFERENCES kernel (id),
	function  text COLLATE "C", -- what is no kernel
	type      text COLLATE "C" NOT NULL,
	device    text COLLATE "C" NOT NULL,
	number    int, -- of the device
	-- Over the kept cycles of the first stratum.
	mean_ns   double precision CHECK (mean_ns >= 0),
	PRIMARY KEY (run_id, rank),
	CHECK (num_nonnulls(kernel_id, function) = 1)
);

CREATE TABLE run_pattern_cycle (
	run_id   bigint NOT NULL,
	rank     int NOT NULL CHECK (rank >= 0),
	dur_ns   bytea NOT NULL,
	launches bytea NOT NULL,
	min_ns   bytea NOT NULL, -- -1 unknown
	max_ns   bytea NOT NULL,
	spread_ns bytea, -- of all kept cycles: 17 launches by length
	beta_pct bytea, -- doubles, as told; NULL: dur_ns / cycle
	PRIMARY KEY (run_id, rank)
) WITH (toast_tuple_target = 8160);

CREATE TABLE run_metric (
	run_id       bigint NOT NULL,
	rank         int NOT NULL CHECK (rank >= 0),
	pattern      int NOT NULL CHECK (pattern >= 0), -- run_pattern.rank
	name         text COLLATE "C" NOT NULL,
	mu           bytea NOT NULL, -- doubles; NaN: not known
	sigma        bytea NOT NULL,
	interpolated bytea NOT NULL,
	PRIMARY KEY (run_id, rank)
) WITH (toast_tuple_target = 8160);

-- Collectives one by one, in the order they began.
CREATE TABLE run_collective (
	run_id    bigint NOT NULL,
	rank      int NOT NULL CHECK (rank >= 0),
	kernel_id bigint REFERENCES kernel (id),
	function  text COLLATE "C",
	device    int NOT NULL,
	stream    bigint NOT NULL,
	launches  int NOT NULL CHECK (launches >= 0),
	start_ns  bytea NOT NULL,
	dur_ns    bytea NOT NULL,
	PRIMARY KEY (run_id, rank),
	CHECK (num_nonnulls(kernel_id, function) = 1)
);

CREATE TABLE run_fact (
	run_id bigint NOT NULL,
	rank   int NOT NULL CHECK (rank >= 0),
	name   text COLLATE "C" NOT NULL,
	value  text COLLATE "C" NOT NULL,
	PRIMARY KEY (run_id, rank)
);

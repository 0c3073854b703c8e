-- 0005_matters.sql - what matters: operators and their shapes, sums of them over
-- the fleet, and what an installation knows of its own.

-- ---- facts

-- Edits of the catalogue, each a whole document; the newest of a kind is in
-- force. The version counts edits of any kind.
CREATE TABLE own_document (
	version    bigint PRIMARY KEY CHECK (version > 0),
	kind       text NOT NULL CHECK (kind IN ('operators', 'rules', 'platforms')),
	document   text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX own_document_kind ON own_document (kind, version);

-- Nodes of a CUDA graph, as a stream capture in an upload showed them; lists of
-- one length, '' for none.
CREATE TABLE graph_known (
	upload_id  bigint NOT NULL,
	key        bytea NOT NULL CHECK (octet_length(key) = 32),
	content    bytea NOT NULL CHECK (octet_length(content) = 32),
	kernels    text[] NOT NULL,
	operators  text[] NOT NULL,
	shapes     text[] NOT NULL,
	dtypes     text[] NOT NULL,
	calls      bigint[] NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (upload_id, key, content),
	CHECK (cardinality(operators) = cardinality(kernels)
		AND cardinality(shapes) = cardinality(kernels)
		AND cardinality(dtypes) = cardinality(kernels)
		AND cardinality(calls) = cardinality(kernels))
);
CREATE INDEX graph_known_key ON graph_known (key, created_at);

CREATE TABLE reference_set (
	name       text COLLATE "C" PRIMARY KEY
		CHECK (octet_length(name) BETWEEN 1 AND 500),
	source     text NOT NULL,
	sha256     bytea NOT NULL CHECK (octet_length(sha256) = 32),
	document   bytea NOT NULL CHECK (sha256 = sha256(document)),
	runs       bigint NOT NULL CHECK (runs >= 0),
	operators  bigint NOT NULL CHECK (operators >= 0),
	shapes     bigint NOT NULL CHECK (shapes >= 0),
	created_at timestamptz NOT NULL DEFAULT now()
);

-- ---- dictionaries

ALTER TABLE kernel ADD COLUMN operator text COLLATE "C"; -- by its name alone

-- Sizes that operators ran with, as text; once per database.
CREATE TABLE shape (
	id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	sha256 bytea NOT NULL UNIQUE
		CHECK (sha256 = sha256(convert_to(text, 'UTF8'))),
	text   text COLLATE "C" NOT NULL
);

-- What a row of the fleet is of.
CREATE TABLE operator_key (
	id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	operator text COLLATE "C" CHECK (octet_length(operator) <= 500),
	dtype    text COLLATE "C",
	phase    text CHECK (phase IN ('prefill', 'decode', 'mixed')),
	UNIQUE NULLS NOT DISTINCT (operator, dtype, phase)
);

-- ---- derived: runs

ALTER TABLE run
	-- All NULL where no operators are known of the run.
	ADD COLUMN catalog        text COLLATE "C", -- version
	ADD COLUMN gpu_ns         bigint CHECK (gpu_ns >= 0),
	ADD COLUMN weight_uh      bigint CHECK (weight_uh >= 0), -- 1e-6 GPU-hours
	ADD COLUMN replayed       bigint CHECK (replayed >= 0),
	ADD COLUMN replayed_known bigint,
	ADD COLUMN platform       text COLLATE "C", -- NULL: unknown or mixed
	ADD CONSTRAINT run_replayed CHECK (replayed_known BETWEEN 0 AND replayed),
	ADD CONSTRAINT run_matters CHECK (num_nulls(catalog, gpu_ns, weight_uh,
		replayed, replayed_known) IN (0, 5));
CREATE INDEX run_without ON run (created_at) WHERE gpu_ns IS NULL;
CREATE INDEX run_catalog ON run (catalog);

CREATE TABLE run_operator (
	run_id            bigint NOT NULL,
	rank              int NOT NULL CHECK (rank >= 0),
	operator          text COLLATE "C", -- NULL: unattributed
	dtype             text COLLATE "C",
	phase             text CHECK (phase IN ('prefill', 'decode', 'mixed')),
	collective        boolean NOT NULL,
	launches          bigint NOT NULL CHECK (launches >= 0),
	calls             bigint NOT NULL CHECK (calls >= 0),
	total_ns          bigint NOT NULL CHECK (total_ns >= 0),
	known_sizes_ns    bigint NOT NULL CHECK (known_sizes_ns >= 0),
	known_op_sizes_ns bigint NOT NULL CHECK (known_op_sizes_ns >= 0),
	known_op_ns       bigint NOT NULL CHECK (known_op_ns >= 0),
	known_range_ns    bigint NOT NULL CHECK (known_range_ns >= 0),
	known_graph_ns    bigint NOT NULL CHECK (known_graph_ns >= 0),
	known_rule_ns     bigint NOT NULL CHECK (known_rule_ns >= 0),
	known_record_ns   bigint NOT NULL CHECK (known_record_ns >= 0),
	known_not_ns      bigint NOT NULL CHECK (known_not_ns >= 0),
	sized_ns          bigint NOT NULL CHECK (sized_ns >= 0),
	bound_calls       bigint NOT NULL CHECK (bound_calls >= 0),
	bound_ns          bigint NOT NULL CHECK (bound_ns >= 0),
	sol_ps            bigint NOT NULL CHECK (sol_ps >= 0),
	compute_ns        bigint NOT NULL CHECK (compute_ns >= 0),
	headroom_ns       bigint NOT NULL CHECK (headroom_ns >= 0),
	over_ns           bigint NOT NULL CHECK (over_ns >= 0),
	shapes            int NOT NULL CHECK (shapes >= 0),
	-- Of the same calls: floating-point operations of every type, bytes read and
	-- written.
	flops             numeric NOT NULL CHECK (flops >= 0),
	bytes             numeric NOT NULL CHECK (bytes >= 0),
	PRIMARY KEY (run_id, rank)
);

CREATE TABLE run_shape (
	run_id       bigint NOT NULL,
	operator     int NOT NULL CHECK (operator >= 0), -- run_operator.rank
	rank         int NOT NULL CHECK (rank >= 0),
	shape_id     bigint REFERENCES shape (id), -- NULL: sizes unknown
	grid         text COLLATE "C",
	known        text NOT NULL CHECK (known IN ('sizes', 'op_sizes', 'op',
		'range', 'graph', 'rule', 'record', 'not')),
	launches     bigint NOT NULL CHECK (launches >= 0),
	-- Of a call.
	instances    bigint NOT NULL CHECK (instances >= 0),
	total_ns     bigint NOT NULL CHECK (total_ns >= 0),
	min_ns       bigint,
	max_ns       bigint,
	avg_ns       double precision,
	med_ns       double precision,
	stddev_ns    double precision,
	p90_ns       double precision,
	p99_ns       double precision,
	buckets      int NOT NULL CHECK (buckets >= 0),
	bucket       bytea NOT NULL, -- packed; number b is [2^(b/32), 2^((b+1)/32)) ns
	bucket_calls bytea NOT NULL,
	-- Of a call: "bf16=8589934592"; NULL where the cost is not known.
	flops        text COLLATE "C",
	read_bytes   bigint CHECK (read_bytes >= 0),
	write_bytes  bigint CHECK (write_bytes >= 0),
	why          text, -- no cost, though the sizes are known
	sol_ns       double precision CHECK (sol_ns >= 0),
	leg          text CHECK (leg IN ('compute', 'memory')),
	PRIMARY KEY (run_id, operator, rank),
	CHECK (num_nulls(flops, read_bytes, write_bytes) IN (0, 3))
);

CREATE TABLE run_unattributed (
	run_id    bigint NOT NULL,
	rank      int NOT NULL CHECK (rank >= 0),
	kernel_id bigint NOT NULL REFERENCES kernel (id),
	launches  bigint NOT NULL CHECK (launches > 0),
	total_ns  bigint NOT NULL CHECK (total_ns >= 0),
	PRIMARY KEY (run_id, rank)
);

-- ---- derived: sums over runs

-- What a run adds, or takes back with its sign, until a folder adds it to the
-- tables below and drops the row. `sums` and `shapes`: sql/README.md. Rows come
-- and go by the thousand, so that the dead ones are cleared early.
CREATE TABLE rollup_delta (
	run_id    bigint NOT NULL,
	id        bigint GENERATED ALWAYS AS IDENTITY,
	day       int NOT NULL, -- since 1970, UTC
	cell      bytea NOT NULL CHECK (octet_length(cell) = 32),
	project   text COLLATE "C" NOT NULL,
	workload  text COLLATE "C" NOT NULL,
	platform  text COLLATE "C" NOT NULL, -- '' unknown
	framework text COLLATE "C" NOT NULL,
	sums      bytea NOT NULL,
	shapes    bytea NOT NULL,
	PRIMARY KEY (run_id, id)
) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0,
	autovacuum_vacuum_threshold = 1000);
ALTER TABLE rollup_delta
	ALTER COLUMN sums SET STORAGE EXTERNAL,
	ALTER COLUMN shapes SET STORAGE EXTERNAL;

CREATE TABLE rollup_delta_kernel (
	run_id    bigint NOT NULL,
	id        bigint GENERATED ALWAYS AS IDENTITY,
	kernel_id bigint NOT NULL,
	runs      bigint NOT NULL,
	launches  bigint NOT NULL,
	total_ns  bigint NOT NULL,
	PRIMARY KEY (run_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0,
	autovacuum_vacuum_threshold = 5000);

-- Runs of one project, workload, platform and framework, of `grain` days from
-- day `first` on; grain 0: of all days.
CREATE TABLE rollup_cell (
	grain     int NOT NULL CHECK (grain >= 0),
	first     int NOT NULL,
	cell      bytea NOT NULL CHECK (octet_length(cell) = 32),
	project   text COLLATE "C" NOT NULL,
	workload  text COLLATE "C" NOT NULL,
	platform  text COLLATE "C" NOT NULL,
	framework text COLLATE "C" NOT NULL,
	sums      bytea NOT NULL,
	PRIMARY KEY (grain, first, cell)
) WITH (toast_tuple_target = 8160, fillfactor = 70);
ALTER TABLE rollup_cell ALTER COLUMN sums SET STORAGE EXTERNAL;

-- The shapes of one operator, type and phase in them.
CREATE TABLE rollup_shape (
	key_id bigint NOT NULL REFERENCES operator_key (id),
	grain  int NOT NULL CHECK (grain >= 0),
	first  int NOT NULL,
	cell   bytea NOT NULL,
	shapes bytea NOT NULL,
	PRIMARY KEY (key_id, grain, first, cell)
) WITH (toast_tuple_target = 8160, fillfactor = 70);
ALTER TABLE rollup_shape ALTER COLUMN shapes SET STORAGE EXTERNAL;

-- How many runs had each shape, over all cells and days.
CREATE TABLE rollup_seen (
	key_id bigint PRIMARY KEY REFERENCES operator_key (id),
	seen   bytea NOT NULL
) WITH (toast_tuple_target = 8160, fillfactor = 70);
ALTER TABLE rollup_seen ALTER COLUMN seen SET STORAGE EXTERNAL;

CREATE TABLE rollup_kernel (
	kernel_id bigint PRIMARY KEY,
	runs      bigint NOT NULL,
	launches  bigint NOT NULL,
	total_ns  bigint NOT NULL
);

-- 0003_formats.sql - runs of every format: their captures, graphs recorded
-- whole, launch latency, callers, and tables without launches.

ALTER TABLE run
	-- What the numbers rest on: single launches, or what others computed.
	ADD COLUMN content  text NOT NULL DEFAULT 'launches'
		CHECK (content IN ('launches', 'statistics', 'patterns')),
	ADD COLUMN graph_ns bigint NOT NULL DEFAULT 0 CHECK (graph_ns >= 0),
	ADD COLUMN graphs   bigint NOT NULL DEFAULT 0 CHECK (graphs >= 0),
	-- Such a table does not tell when anything happened.
	ALTER COLUMN span_ns DROP NOT NULL,
	ALTER COLUMN busy_ns DROP NOT NULL,
	ADD CONSTRAINT run_told CHECK (content <> 'launches'
		OR num_nulls(span_ns, busy_ns) = 0);
CREATE INDEX run_content ON run (content, created_at, run_id)
	WHERE content <> 'launches';
-- What is unknown comes last where the largest come first.
DROP INDEX run_busy;
DROP INDEX run_span;
CREATE INDEX run_busy ON run (coalesce(busy_ns, -1), run_id);
CREATE INDEX run_span ON run (coalesce(span_ns, -1), run_id);

ALTER TABLE run_device
	ALTER COLUMN launches DROP NOT NULL,
	ALTER COLUMN busy_ns DROP NOT NULL;

-- A table that was printed does not tell everything, and rounds what it tells.
ALTER TABLE run_kernel
	DROP CONSTRAINT run_kernel_check,
	DROP CONSTRAINT run_kernel_check1,
	ALTER COLUMN min_ns DROP NOT NULL,
	ALTER COLUMN max_ns DROP NOT NULL,
	ALTER COLUMN avg_ns DROP NOT NULL,
	ALTER COLUMN med_ns DROP NOT NULL,
	ALTER COLUMN stddev_ns DROP NOT NULL,
	ALTER COLUMN p90_ns DROP NOT NULL,
	ALTER COLUMN p99_ns DROP NOT NULL,
	ALTER COLUMN time_pct DROP NOT NULL,
	ADD CONSTRAINT run_kernel_total_ns CHECK (total_ns >= 0),
	ADD COLUMN told_source text COLLATE "C";
ALTER TABLE run_copy
	ALTER COLUMN min_ns DROP NOT NULL,
	ALTER COLUMN max_ns DROP NOT NULL,
	ALTER COLUMN avg_ns DROP NOT NULL,
	ALTER COLUMN med_ns DROP NOT NULL,
	ALTER COLUMN stddev_ns DROP NOT NULL,
	ALTER COLUMN p90_ns DROP NOT NULL,
	ALTER COLUMN p99_ns DROP NOT NULL,
	ALTER COLUMN time_pct DROP NOT NULL;

-- The run as .kst, cut into pieces; seq from 0 without gaps.
CREATE TABLE run_capture (
	run_id bigint NOT NULL,
	seq    int NOT NULL CHECK (seq >= 0),
	bytes  bytea NOT NULL CHECK (octet_length(bytes) BETWEEN 1 AND 1048576),
	PRIMARY KEY (run_id, seq)
);
ALTER TABLE run_capture ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE run_graph (
	run_id     bigint NOT NULL,
	rank       int NOT NULL CHECK (rank >= 0),
	graph_id   bigint,
	graph_exec bigint,
	device     int NOT NULL,
	instances  bigint NOT NULL CHECK (instances > 0),
	total_ns   bigint NOT NULL CHECK (total_ns >= max_ns),
	min_ns     bigint NOT NULL CHECK (min_ns >= 0),
	max_ns     bigint NOT NULL CHECK (max_ns >= min_ns),
	avg_ns     double precision NOT NULL,
	med_ns     double precision NOT NULL,
	stddev_ns  double precision NOT NULL,
	p90_ns     double precision NOT NULL,
	p99_ns     double precision NOT NULL,
	PRIMARY KEY (run_id, rank)
);

-- A line of nsys' cuda_kern_exec_sum: from the call to the kernel's end.
CREATE TABLE run_launch (
	run_id           bigint NOT NULL,
	rank             int NOT NULL CHECK (rank >= 0),
	kernel_id        bigint NOT NULL REFERENCES kernel (id),
	thread           text COLLATE "C" NOT NULL,
	device           int NOT NULL,
	api              text COLLATE "C" NOT NULL,
	instances        bigint NOT NULL CHECK (instances > 0),
	queued           bigint NOT NULL CHECK (queued BETWEEN 0 AND instances),
	total_avg_ns     double precision NOT NULL,
	total_med_ns     double precision NOT NULL,
	total_min_ns     bigint NOT NULL,
	total_max_ns     bigint NOT NULL,
	total_stddev_ns  double precision NOT NULL,
	api_avg_ns       double precision NOT NULL,
	api_med_ns       double precision NOT NULL,
	api_min_ns       bigint NOT NULL,
	api_max_ns       bigint NOT NULL,
	api_stddev_ns    double precision NOT NULL,
	queue_avg_ns     double precision,
	queue_med_ns     double precision,
	queue_min_ns     bigint,
	queue_max_ns     bigint,
	queue_stddev_ns  double precision,
	kernel_avg_ns    double precision NOT NULL,
	kernel_med_ns    double precision NOT NULL,
	kernel_min_ns    bigint NOT NULL,
	kernel_max_ns    bigint NOT NULL,
	kernel_stddev_ns double precision NOT NULL,
	PRIMARY KEY (run_id, rank),
	CHECK (num_nulls(queue_avg_ns, queue_med_ns, queue_min_ns, queue_max_ns,
		queue_stddev_ns) = CASE queued WHEN 0 THEN 5 ELSE 0 END)
);

-- The tree of paths that launched kernels; the root, 0, is not stored.
CREATE TABLE run_frame (
	run_id bigint NOT NULL,
	frame  int NOT NULL CHECK (frame > 0),
	parent int NOT NULL CHECK (parent >= 0 AND parent < frame),
	kind   text NOT NULL CHECK (kind IN ('annotation', 'module', 'python', 'op')),
	name   text COLLATE "C" NOT NULL,
	PRIMARY KEY (run_id, frame)
);

CREATE TABLE run_caller (
	run_id    bigint NOT NULL,
	kernel_id bigint NOT NULL REFERENCES kernel (id),
	rank      int NOT NULL CHECK (rank >= 0),
	known     text NOT NULL CHECK (known IN ('path', 'no_range', 'no_call')),
	frame     int CHECK (frame > 0),
	launches  bigint NOT NULL CHECK (launches > 0),
	total_ns  bigint NOT NULL CHECK (total_ns >= 0),
	PRIMARY KEY (run_id, kernel_id, rank),
	CHECK ((known = 'path') = (frame IS NOT NULL))
);

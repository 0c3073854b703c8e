-- 0028_measure.sql - the results of benchmarks that were attached to runs.

CREATE TABLE measure (
	run_id     bigint NOT NULL,
	name       text COLLATE "C" NOT NULL,
	value      double precision NOT NULL
		CHECK (value > '-Infinity' AND value < 'Infinity'), -- nor NaN
	unit       text NOT NULL,
	source     text COLLATE "C" NOT NULL
		CHECK (source IN ('plain', 'vllm', 'sglang', 'aiperf', 'mlperf')),
	file       text NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (run_id, name)
);

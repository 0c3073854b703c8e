-- 0034_iteration_work.sql - the work of each iteration, by the dtypes of the calls.

CREATE TABLE run_iteration_work (
	run_id  bigint NOT NULL,
	rank    integer NOT NULL CHECK (rank >= 0),
	dtypes  text[], -- NULL: the calls whose work is unknown
	-- of each row of run_iteration (packed); flops by dtype, then by row
	flops   bytea,
	bytes   bytea,
	time_ns bytea NOT NULL,
	PRIMARY KEY (run_id, rank),
	CONSTRAINT run_iteration_work_known
		CHECK (num_nulls(dtypes, flops, bytes) IN (0, 3))
);

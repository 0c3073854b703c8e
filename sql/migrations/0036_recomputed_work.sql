-- 0036_recomputed_work.sql - which work was computed before, as in activation
-- checkpointing, and the work of layers. NULL in rows from before: unknown.

ALTER TABLE run_shape
	-- calls that compute something again, and the time of the calls of which
	-- it is known whether they do: of all, and of those in kept iterations
	ADD COLUMN recomputed_calls        bigint CHECK (recomputed_calls >= 0),
	ADD COLUMN recompute_known_ns      bigint CHECK (recompute_known_ns >= 0),
	ADD COLUMN kept_recomputed_calls   bigint CHECK (kept_recomputed_calls >= 0),
	ADD COLUMN kept_recompute_known_ns bigint CHECK (kept_recompute_known_ns >= 0),
	ADD CONSTRAINT run_shape_recomputed
		CHECK (num_nulls(recomputed_calls, recompute_known_ns,
			kept_recomputed_calls, kept_recompute_known_ns) IN (0, 4));

ALTER TABLE run_iteration_work
	-- packed, as flops and time_ns
	ADD COLUMN recomputed_flops   bytea,
	ADD COLUMN recompute_known_ns bytea,
	ADD CONSTRAINT run_iteration_work_recomputed
		CHECK (num_nulls(recomputed_flops, recompute_known_ns) IN (0, 2)
			AND (flops IS NOT NULL OR recomputed_flops IS NULL));

ALTER TABLE run_section
	ADD COLUMN compute_ns         float8 CHECK (compute_ns >= recomputed_ns),
	ADD COLUMN memory_ns          float8 CHECK (memory_ns >= 0),
	ADD COLUMN recomputed_ns      float8 CHECK (recomputed_ns >= 0),
	ADD COLUMN work_known_ns      bigint CHECK (work_known_ns >= flops_ns),
	ADD COLUMN flops_ns           bigint CHECK (flops_ns >= recompute_known_ns),
	ADD COLUMN recompute_known_ns bigint CHECK (recompute_known_ns >= 0),
	ADD CONSTRAINT run_section_work
		CHECK (num_nulls(compute_ns, memory_ns, recomputed_ns,
			work_known_ns, flops_ns, recompute_known_ns) IN (0, 6));

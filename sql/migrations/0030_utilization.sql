-- 0030_utilization.sql - how many calls of a shape are in kept iterations, so that
-- their work can be compared with the time of these iterations. NULL in rows from
-- before: unknown.

ALTER TABLE run_shape
	ADD COLUMN kept_calls bigint CHECK (kept_calls >= 0),
	ADD COLUMN kept_ns    bigint CHECK (kept_ns >= 0),
	ADD CONSTRAINT run_shape_kept
		CHECK (num_nulls(kept_calls, kept_ns) IN (0, 2));

-- 0038_what_if.sql - what a fusion saves per kept iteration.

ALTER TABLE run_fusion
	-- the mean over the kept iterations; NULL: unknown, as in rows from before
	ADD COLUMN saved_ns double precision CHECK (saved_ns >= 0),
	-- the standard error of this mean; NULL: unknown, as with one iteration
	ADD COLUMN saved_error_ns double precision CHECK (saved_error_ns >= 0),
	ADD CONSTRAINT run_fusion_saved
		CHECK (saved_ns IS NOT NULL OR saved_error_ns IS NULL);

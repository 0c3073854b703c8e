-- 0038_what_if.sql - what a fusion, and the overlap of a collective, save per kept
-- iteration.

ALTER TABLE run_fusion
	-- the mean over the kept iterations; NULL: unknown, as in rows from before
	ADD COLUMN saved_ns double precision CHECK (saved_ns >= 0),
	-- the standard error of this mean; NULL: unknown, as with one iteration
	ADD COLUMN saved_error_ns double precision CHECK (saved_error_ns >= 0),
	ADD CONSTRAINT run_fusion_saved
		CHECK (saved_ns IS NOT NULL OR saved_error_ns IS NULL);

ALTER TABLE run_collective
	-- as in run_fusion, in the first row of a collective; NULL in its other rows
	ADD COLUMN saved_ns double precision CHECK (saved_ns >= 0),
	ADD COLUMN saved_error_ns double precision CHECK (saved_error_ns >= 0),
	ADD CONSTRAINT run_collective_saved
		CHECK (saved_ns IS NOT NULL OR saved_error_ns IS NULL);

-- 0024_durations.sql - runs of single calls whose starts were not recorded: their
-- durations are known, their span and busy time are not.

ALTER TABLE run
	DROP CONSTRAINT run_content_check,
	ADD CONSTRAINT run_content_check CHECK (content IN
		('launches', 'statistics', 'patterns', 'durations'));

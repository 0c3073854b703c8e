-- 0009_words.sql - columns, values and documents by the glossary: iteration, not cycle.

ALTER TABLE run_cycle RENAME TO run_iteration;
ALTER TABLE run_iteration RENAME COLUMN cycle TO iteration;
ALTER TABLE run_pattern_cycle RENAME TO run_pattern_iteration;
ALTER TABLE run_stratum RENAME COLUMN cycles TO iterations;
ALTER TABLE run_work RENAME COLUMN per_cycle TO per_iteration;
ALTER TABLE run_axis RENAME COLUMN cycles TO iterations;
ALTER TABLE run_axis RENAME COLUMN cycle TO iteration;
ALTER TABLE run RENAME COLUMN cycle_confidence TO iteration_confidence;
ALTER TABLE run RENAME COLUMN cycle_range TO iteration_range;
ALTER TABLE run RENAME COLUMN cycles TO iterations;
ALTER TABLE run RENAME COLUMN cycles_kept TO iterations_kept;
ALTER TABLE run RENAME COLUMN cycle_ns TO iteration_ns;
ALTER TABLE run RENAME COLUMN cycle_detector TO iteration_detector;

ALTER TABLE run DROP CONSTRAINT run_cycle_detector_check;
UPDATE run SET iteration_detector = 'given' WHERE iteration_detector = 'told';
ALTER TABLE run ADD CONSTRAINT run_iteration_detector_check CHECK (iteration_detector
	IN ('none', 'annotation', 'period', 'window', 'given', 'named'));

UPDATE change_told SET metric = 'iteration' WHERE metric = 'cycle';

-- A gate is stored as the API's answer. jsonb writes every key as "key": , and a
-- quote inside a text behind a backslash, so that only keys and whole values match.
CREATE FUNCTION pg_temp.renamed(document text) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	names CONSTANT text[] := ARRAY[
		['asked', 'query'], ['cycles', 'iterations'], ['shortfalls', 'data_problems'],
		['what', 'code'], ['sentence', 'summary'], ['exit', 'exit_status'],
		['rules_left_out', 'rules_excluded'], ['floor', 'noise_floor'],
		['cycle_pct', 'iteration_pct'], ['least_runs', 'min_runs'],
		['least_cycles', 'min_iterations'],
		['least_coverage_pct', 'min_coverage_pct'],
		['least_attributed_pct', 'min_attributed_pct'], ['refuse', 'reject_on']];
	pair text[];
BEGIN
	FOREACH pair SLICE 1 IN ARRAY names LOOP
		document := regexp_replace(document, '(?<!\\)"' || pair[1] || '": ',
			'"' || pair[2] || '": ', 'g');
	END LOOP;
	document := replace(document, '"rule": "cycle"', '"rule": "iteration"');
	RETURN replace(document, '"code": "cycles"', '"code": "iterations"');
END
$$;
UPDATE gate SET document = pg_temp.renamed(document::text)::jsonb;

-- The newest site overrides of operators: `what` became `description`.
UPDATE own_document
SET document = regexp_replace(document, '(?<!\\)"what"(\s*):', '"description"\1:', 'g')
WHERE kind = 'operators';

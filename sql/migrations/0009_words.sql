-- Values and field names of the API, by the glossary: stored ones follow.

ALTER TABLE run DROP CONSTRAINT run_cycle_detector_check;
UPDATE run SET cycle_detector = 'given' WHERE cycle_detector = 'told';
ALTER TABLE run ADD CONSTRAINT run_cycle_detector_check CHECK (cycle_detector
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

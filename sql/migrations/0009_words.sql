-- 0009_words.sql - tables, columns, values and documents by the glossary.

DROP VIEW IF EXISTS kernel_line, launch_line, upload_line;
ALTER FUNCTION upload_tell() RENAME TO upload_notify;

-- ---- tables

ALTER TABLE run_cycle RENAME TO run_iteration;
ALTER TABLE run_pattern_cycle RENAME TO run_pattern_iteration;
ALTER TABLE run_work RENAME TO run_signature;
ALTER TABLE run_place RENAME TO run_layer_row;
ALTER TABLE own_document RENAME TO site_override;
ALTER TABLE graph_known RENAME TO learned_graph;
ALTER TABLE change_told RENAME TO change_point;

-- ---- columns

ALTER TABLE run RENAME COLUMN cycle_confidence TO iteration_confidence;
ALTER TABLE run RENAME COLUMN cycle_range TO iteration_range;
ALTER TABLE run RENAME COLUMN cycles TO iterations;
ALTER TABLE run RENAME COLUMN cycles_kept TO iterations_kept;
ALTER TABLE run RENAME COLUMN cycle_ns TO iteration_ns;
ALTER TABLE run RENAME COLUMN cycle_detector TO iteration_detector;
ALTER TABLE run_iteration RENAME COLUMN cycle TO iteration;
ALTER TABLE run_stratum RENAME COLUMN cycles TO iterations;
ALTER TABLE run_signature RENAME COLUMN per_cycle TO per_iteration;
ALTER TABLE run_axis RENAME COLUMN cycles TO iterations;
ALTER TABLE run_axis RENAME COLUMN cycle TO iteration;
ALTER TABLE run_axis RENAME COLUMN told TO packed_values;

ALTER TABLE kernel RENAME COLUMN known_from TO source;
ALTER TABLE run_kernel RENAME COLUMN told_source TO table_path;
ALTER TABLE run_caller RENAME COLUMN known TO found_by;

ALTER TABLE run_operator RENAME COLUMN known_sizes_ns TO source_sizes_ns;
ALTER TABLE run_operator RENAME COLUMN known_op_sizes_ns TO source_op_sizes_ns;
ALTER TABLE run_operator RENAME COLUMN known_op_ns TO source_op_ns;
ALTER TABLE run_operator RENAME COLUMN known_range_ns TO source_range_ns;
ALTER TABLE run_operator RENAME COLUMN known_node_ns TO source_node_ns;
ALTER TABLE run_operator RENAME COLUMN known_graph_ns TO source_graph_ns;
ALTER TABLE run_operator RENAME COLUMN known_rule_ns TO source_rule_ns;
ALTER TABLE run_operator RENAME COLUMN known_record_ns TO source_record_ns;
ALTER TABLE run_operator RENAME COLUMN known_not_ns TO source_not_ns;
ALTER TABLE run_operator RENAME COLUMN sized_ns TO shape_known_ns;
ALTER TABLE run_operator RENAME COLUMN bound_calls TO roofline_known_calls;
ALTER TABLE run_operator RENAME COLUMN bound_ns TO roofline_known_ns;
ALTER TABLE run_operator RENAME COLUMN over_ns TO above_bound_ns;
ALTER TABLE run_shape RENAME COLUMN known TO attribution_source;
ALTER TABLE run_shape RENAME COLUMN why TO reason;

ALTER TABLE run_breakdown RENAME COLUMN why TO reason;
ALTER TABLE run_breakdown RENAME COLUMN passes TO iterations;
ALTER TABLE run_breakdown RENAME COLUMN pass_instances TO iteration_instances;
ALTER TABLE run_breakdown RENAME COLUMN pass_total_ns TO iteration_total_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_min_ns TO iteration_min_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_max_ns TO iteration_max_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_avg_ns TO iteration_avg_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_med_ns TO iteration_med_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_stddev_ns TO iteration_stddev_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_p90_ns TO iteration_p90_ns;
ALTER TABLE run_breakdown RENAME COLUMN pass_p99_ns TO iteration_p99_ns;
ALTER TABLE run_section RENAME COLUMN place TO position;
ALTER TABLE run_section RENAME COLUMN per_pass TO per_iteration;
ALTER TABLE run_section RENAME COLUMN alike TO similarity;
ALTER TABLE run_section RENAME COLUMN occurs TO occurrences;
ALTER TABLE run_block RENAME COLUMN beside TO parallel_to;
ALTER TABLE run_layer_row RENAME COLUMN place TO rank;
ALTER TABLE run_layer_row RENAME COLUMN lane TO stream;
ALTER TABLE run_layer_row RENAME COLUMN occurs TO occurrences;
ALTER TABLE run_layer_row RENAME COLUMN bound_launches TO roofline_known_launches;
ALTER TABLE run_layer_row RENAME COLUMN bound_ns TO roofline_known_ns;

ALTER TABLE upload RENAME COLUMN tries TO attempts;
ALTER TABLE token RENAME COLUMN used_at TO last_used_at;
ALTER TABLE token RENAME COLUMN signed_at TO signed_in_at;
ALTER TABLE token RENAME COLUMN made_by TO created_by;
ALTER TABLE token RENAME COLUMN maker_id TO creator_id;
ALTER TABLE audit RENAME COLUMN who TO actor;
ALTER TABLE gate RENAME COLUMN who TO created_by;
ALTER TABLE change_point RENAME COLUMN told_at TO recorded_at;
ALTER TABLE webhook RENAME COLUMN made_by TO created_by;
ALTER TABLE webhook_delivery RENAME COLUMN tries TO attempts;
ALTER TABLE webhook_delivery RENAME COLUMN next_at TO next_attempt_at;

-- Means and medians: every avg_ns and med_ns, alone or behind a part's name.
DO $$
DECLARE
	c record;
BEGIN
	FOR c IN
		SELECT t.oid::regclass AS of, a.attname AS old,
			regexp_replace(regexp_replace(a.attname, 'avg_ns$', 'mean_ns'),
				'med_ns$', 'median_ns') AS new
		FROM pg_class t
		JOIN pg_attribute a ON a.attrelid = t.oid
		WHERE t.oid = ANY (ARRAY['run_kernel', 'run_copy', 'run_graph',
				'run_launch', 'run_shape', 'run_breakdown', 'run_section',
				'run_layer_row']::regclass[])
			AND a.attname ~ '(^|_)(avg|med)_ns$'
	LOOP
		EXECUTE format('ALTER TABLE %s RENAME COLUMN %I TO %I',
			c.of, c.old, c.new);
	END LOOP;
END $$;

-- ---- constraints and indexes, which messages name

DO $$
DECLARE
	tables CONSTANT regclass[] := ARRAY['upload', 'kernel', 'run', 'run_kernel',
		'run_copy', 'run_graph', 'run_launch', 'run_caller', 'run_iteration',
		'run_stratum', 'run_signature', 'run_axis', 'run_pattern_iteration',
		'run_operator', 'run_shape', 'run_breakdown', 'run_section',
		'run_block', 'run_layer_row', 'site_override', 'learned_graph',
		'token', 'audit', 'gate', 'change_point', 'webhook',
		'webhook_delivery']::regclass[];
	words CONSTANT text[] := ARRAY[['cycles', 'iterations'], ['cycle', 'iteration'],
		['^run_work', 'run_signature'], ['^run_place_place', 'run_layer_row_rank'],
		['^run_place', 'run_layer_row'], ['^own_document', 'site_override'],
		['^graph_known', 'learned_graph'], ['^change_told', 'change_point'],
		['^run_told$', 'run_launches_timed'], ['^run_matters$', 'run_attributed'],
		['^run_without$', 'run_no_operators'], ['told', 'packed_values'],
		['^run_operator_known', 'run_operator_source'],
		['^run_shape_known', 'run_shape_attribution_source'],
		['^run_caller_known', 'run_caller_found_by'], ['sized_ns', 'shape_known_ns'],
		['bound_(calls|launches|ns)', 'roofline_known_\1'],
		['over_ns', 'above_bound_ns'], ['why', 'reason'], ['passes', 'iterations'],
		['per_pass', 'per_iteration'], ['breakdown_pass', 'breakdown_iteration'],
		['section_place', 'section_position'], ['alike', 'similarity'],
		['occurs', 'occurrences'], ['beside', 'parallel_to'], ['lane', 'stream'],
		['tries', 'attempts'], ['made_by', 'created_by'], ['maker', 'creator'],
		['^audit_who', 'audit_actor'], ['^gate_who', 'gate_created_by'],
		['_avg_ns', '_mean_ns'], ['_med_ns', '_median_ns']];
	word text[];
	c record;
	name text;
BEGIN
	FOR c IN
		SELECT conname AS old,
			format('ALTER TABLE %s RENAME CONSTRAINT %I TO ', conrelid::regclass,
				conname) AS rename
		FROM pg_constraint
		WHERE conrelid = ANY (tables)
		UNION ALL
		SELECT i.relname, format('ALTER INDEX %s RENAME TO ', i.oid::regclass)
		FROM pg_index x
		JOIN pg_class i ON i.oid = x.indexrelid
		WHERE x.indrelid = ANY (tables)
			AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid)
	LOOP
		name := c.old;
		FOREACH word SLICE 1 IN ARRAY words LOOP
			name := regexp_replace(name, word[1], word[2], 'g');
		END LOOP;
		IF name <> c.old THEN
			EXECUTE c.rename || quote_ident(name);
		END IF;
	END LOOP;
END $$;

-- ---- values

ALTER TABLE run DROP CONSTRAINT run_iteration_detector_check;
UPDATE run SET iteration_detector = 'given' WHERE iteration_detector = 'told';
ALTER TABLE run ADD CONSTRAINT run_iteration_detector_check CHECK (iteration_detector
	IN ('none', 'annotation', 'period', 'window', 'given', 'named'));
UPDATE run_note SET code = 'iterations_' || substr(code, 8)
WHERE code IN ('cycles_window', 'cycles_warmup', 'cycles_partial');
UPDATE change_point SET metric = 'iteration' WHERE metric = 'cycle';

-- ---- documents

-- A gate's document is the API's answer. Of the runs' labels, the keys belong to
-- users.
CREATE FUNCTION pg_temp.gate_words(node jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	keys CONSTANT jsonb := '{"asked": "query", "cycles": "iterations",
		"shortfalls": "data_problems", "what": "code", "sentence": "summary",
		"exit": "exit_status", "rules_left_out": "rules_excluded",
		"floor": "noise_floor", "cycle_pct": "iteration_pct",
		"least_runs": "min_runs", "least_cycles": "min_iterations",
		"least_coverage_pct": "min_coverage_pct",
		"least_attributed_pct": "min_attributed_pct", "refuse": "reject_on"}';
	codes CONSTANT jsonb := '{"cycles": "iterations", "cycle": "iteration",
		"no_cycle": "no_iteration", "few_cycles": "few_iterations",
		"cycles_uneven": "iterations_uneven",
		"cycles_window": "iterations_window",
		"cycles_warmup": "iterations_warmup",
		"cycles_partial": "iterations_partial"}';
BEGIN
	IF jsonb_typeof(node) = 'array' THEN
		RETURN (SELECT coalesce(jsonb_agg(pg_temp.gate_words(v) ORDER BY n), '[]')
			FROM jsonb_array_elements(node) WITH ORDINALITY e (v, n));
	ELSIF jsonb_typeof(node) = 'object' THEN
		RETURN (SELECT coalesce(jsonb_object_agg(coalesce(keys->>k, k), CASE
				WHEN k = 'labels' THEN v
				WHEN k IN ('rule', 'code', 'what')
					THEN coalesce(codes->(v#>>'{}'), v)
				WHEN k IN ('refuse', 'fail_on') THEN
					CASE jsonb_typeof(v) WHEN 'array' THEN
					(SELECT coalesce(jsonb_agg(coalesce(codes->(w#>>'{}'), w)
						ORDER BY n), '[]')
					FROM jsonb_array_elements(v) WITH ORDINALITY e (w, n))
					ELSE v END
				ELSE pg_temp.gate_words(v) END), '{}')
			FROM jsonb_each(node) e (k, v));
	END IF;
	RETURN node;
END $$;
UPDATE gate SET document = pg_temp.gate_words(document);
DROP FUNCTION pg_temp.gate_words(jsonb);

-- Site overrides are texts as users sent them. Inside a JSON text a quote stands
-- behind a backslash, so that only keys match.
UPDATE site_override
SET document = regexp_replace(document, '(?<!\\)"what"(\s*):', '"description"\1:', 'g')
WHERE kind = 'operators';

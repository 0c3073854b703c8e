/* db_words.c - tests a database of migration 8 with a row for each table,
 * column and value that migrations 9 and 12 rename. After migration it has the
 * new names and values. */
#include "fixture.h"
#include "embedded.h"

extern const struct embedded sql_files[];

enum { BEFORE = 8, FILES_MAX = 32 };

/* The migrations up to 8, without views. */
static const struct embedded *words_files_before(void)
{
	static struct embedded files[FILES_MAX];
	int n = 0;
	for (const struct embedded *f = sql_files; f->path; f++)
		if (!strncmp(f->path, "migrations/", 11) &&
			strtol(f->path + 11, NULL, 10) <= BEFORE)
			files[n++] = *f;
	assert_int_equal(n, BEFORE);
	return files;
}

/* The views of migration 8, reduced to one renamed column each. */
static const char words_views[] =
	"CREATE VIEW kernel_line AS SELECT s.run_id, k.known_from, s.avg_ns, "
	"s.med_ns, s.told_source FROM run_kernel s "
	"JOIN kernel k ON k.id = s.kernel_id;"
	"CREATE VIEW launch_line AS SELECT run_id, total_avg_ns FROM run_launch;"
	"CREATE VIEW upload_line AS SELECT id, tries FROM upload;";

#define TIMES_NONE "0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
#define TIMES_ONE "1, 5, 5, 5, 5, 5, 0, 5, 5"

static const char words_runs[] =
	"INSERT INTO upload (project, workload, name, job, labels, file_name, "
	"tries) VALUES ('p', 'w', '', '', '{}', '', 2);"
	"INSERT INTO kernel (sha256, name, short_name, known_from) VALUES ("
	"sha256('k'), 'k', 'k', 'a tree');"
	"INSERT INTO run (run_id, upload_id, ordinal, name, project, workload, "
	"labels, job, created_at, format, span_ns, busy_ns, kernel_ns, launches, "
	"kernels, copy_ns, copies, device_names, notes, worst_note, "
	"analysis_version, cycle_detector, cycle_confidence, cycle_range, cycles, "
	"cycles_kept, cycle_ns) SELECT i, 1, i, '', 'p', 'w', '{}', '', now(), "
	"'kineto', 9, 9, 9, 1, 1, 0, 0, '{}', 3, 'info', 5, "
	"CASE i WHEN 1 THEN 'told' ELSE 'period' END, 0.5, 'told', 7, 6, 5 "
	"FROM generate_series(1, 2) i;"
	"INSERT INTO run_note SELECT 1, code, 'info', 1, 'cycles' FROM "
	"unnest('{cycles_window, cycles_warmup, cycles_partial, "
	"bad_event, beside_table}'::text[]) code;"
	"INSERT INTO run_kernel (run_id, split, rank, kernel_id, instances, "
	"total_ns, avg_ns, med_ns, told_source) "
	"VALUES (1, 0, 0, 1, 1, 5, 5, 6, 'k.cu');"
	"INSERT INTO run_cycle (run_id, cycle, number, use, open, stratum, "
	"launches) VALUES (1, 3, 4, 'kept', false, 0, 1);"
	"INSERT INTO run_stratum (run_id, stratum, text, cycles) "
	"VALUES (1, 0, 'told', 6);"
	"INSERT INTO run_work VALUES (1, 0, 0, 'op', 'mm', '2', 1.5);"
	"INSERT INTO run_axis VALUES (1, 7, '\\x00', 0, 0, 0, 11);"
	"INSERT INTO run_pattern_cycle (run_id, rank, dur_ns, launches, min_ns, "
	"max_ns) VALUES (1, 0, '\\x00', '\\x00', '\\x00', '\\x00');"
	"INSERT INTO run_frame VALUES (1, 1, 0, 'op', 'mm');"
	"INSERT INTO run_caller VALUES (1, 1, 0, 'path', 1, 1, 5);"
	"INSERT INTO run_operator (run_id, rank, collective, launches, calls, "
	"total_ns, known_sizes_ns, known_op_sizes_ns, known_op_ns, "
	"known_range_ns, known_node_ns, known_graph_ns, known_rule_ns, "
	"known_record_ns, known_not_ns, sized_ns, bound_calls, bound_ns, sol_ps, "
	"compute_ns, headroom_ns, over_ns, shapes, flops, bytes) VALUES "
	"(1, 0, false, 1, 1, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, "
	"13, 0, 0, 0);"
	"INSERT INTO run_shape (run_id, operator, rank, known, launches, "
	"instances, total_ns, buckets, bucket, bucket_calls, why) VALUES "
	"(1, 0, 0, 'op_sizes', 1, 1, 5, 0, '\\x00', '\\x00', 'told');";

static const char words_layers[] =
	"INSERT INTO run_breakdown VALUES (1, 'given', 1, NULL, 'a why', NULL, "
	"false, 3, NULL, " TIMES_ONE ", 0, " TIMES_NONE
	", 5, 0, 0, 5, 0, 0, '\\x00', '\\x00', '\\x00');"
	"INSERT INTO run_section VALUES (1, 0, 'layer', 'told', 2, 0, 0.75, 4, "
	"" TIMES_ONE ");"
	"INSERT INTO run_block VALUES (1, 0, 0, 'mlp', 1, NULL, 0, 0);"
	"INSERT INTO run_place VALUES (1, 6, 0, NULL, 'copy', NULL, NULL, '{}', "
	"false, 2, NULL, 4, false, NULL, 0, 0, 8, 9, 0, " TIMES_ONE ");";

static const char words_teams[] =
	"INSERT INTO own_document (version, kind, document) VALUES "
	"(1, 'operators', '{\"items\": [{\"name\": \"what\", \"what\": "
	"\"a \\\"what\\\": of told\", \"group\":\"what\"}]}'), "
	"(2, 'rules', '{\"items\": [{\"match\": \"what\", \"what\": 1}]}'), "
	"(3, 'operators', '{\"items\": [{\"name\": \"catalogue\", \"aliases\": "
	"{\"catalogue\": \"m\"}, \"cost\": {\"physical\": {}, "
	"\"catalogue\" : {\"read\": \"m\"}}}]}');"
	"INSERT INTO graph_known VALUES (1, sha256('a'), sha256('b'), '{}', '{}', "
	"'{}', '{}', '{}');"
	"INSERT INTO token (name, scope, sha256, used_at, signed_at, made_by) "
	"VALUES ('t', 'read', sha256('t'), now(), now(), 'boss');"
	"INSERT INTO token (name, scope, sha256, maker_id) "
	"VALUES ('u', 'read', sha256('u'), 1);"
	"INSERT INTO audit (who, method, path) VALUES ('ada', 'PUT', '/told');"
	"INSERT INTO change_told (project, workload, metric, run_id) VALUES "
	"('p', 'w', 'cycle', 1), ('cycle', 'cycle', 'busy', 2);"
	"INSERT INTO webhook (url, secret, events, made_by) VALUES "
	"('https://a', sha256('s'), '{gate}', 'boss');"
	"INSERT INTO webhook_delivery (webhook_id, event, body, tries) VALUES "
	"(1, 'gate', '{\"cycle\": 1}', 3);";

/* Keys that are renamed. Some of their names also occur as values, inside
 * texts and as a user's labels, where they must not change. */
#define OLD_SIDE(query)                                                \
	"\"asked\": \"" query "\", \"runs\": [1], \"units\": 1, "      \
	"\"cycles\": 7, \"labels\": {\"cycles\": \"what\", \"exit\": " \
	"\"\\\"floor\\\": \"}"
#define NEW_SIDE(query)                                                    \
	"\"query\": \"" query "\", \"runs\": [1], \"units\": 1, "          \
	"\"iterations\": 7, \"labels\": {\"cycles\": \"what\", \"exit\": " \
	"\"\\\"floor\\\": \"}"

static const char words_gate_before[] =
	"{\"exit\": 1, \"sentence\": \"it was \\\"sentence\\\": \\\"cycle\\\" "
	"told\", \"base\": {" OLD_SIDE(
		"label.cycles=1") "}, \"head\": "
				  "{" OLD_SIDE(
					  "cycles") "}, \"policy\": {\"cycle_pct\": 1, "
						    "\"operators\": [{\"operator\": \"what\", \"pct\": 1}], "
						    "\"least_runs\": 2, \"least_cycles\": 3, \"least_coverage_pct\": 4, "
						    "\"least_attributed_pct\": 5, \"refuse\": [\"few_cycles\", "
						    "\"no_cycle\", \"coverage\"], \"floor\": null, \"range\": \"cycle\"}, "
						    "\"rules\": [{\"rule\": \"cycle\", \"of\": null, \"floor\": 0.5, "
						    "\"sentence\": \"cycle\"}, {\"rule\": \"operator\", \"of\": \"cycle\"}], "
						    "\"rules_left_out\": 6, \"findings\": [{\"code\": \"cycles_uneven\", "
						    "\"severity\": \"info\", \"message\": \"cycles\"}], \"shortfalls\": "
						    "[{\"what\": \"cycles\", \"message\": \"what\"}, "
						    "{\"what\": \"few_cycles\", \"message\": \"\"}, "
						    "{\"what\": \"runs\", \"message\": \"\"}], "
						    "\"compare\": \"/compare?range=cycle\"}";

static const char words_gate_after[] =
	"{\"exit_status\": 1, \"summary\": \"it was \\\"sentence\\\": "
	"\\\"cycle\\\" told\", \"base\": {" NEW_SIDE(
		"label.cycles=1") "}, "
				  "\"head\": {" NEW_SIDE(
					  "cycles") "}, \"policy\": {\"iteration_pct\": 1, "
						    "\"operators\": [{\"operator\": \"what\", \"pct\": 1}], "
						    "\"min_runs\": 2, \"min_iterations\": 3, \"min_coverage_pct\": 4, "
						    "\"min_attributed_pct\": 5, \"reject_on\": [\"few_iterations\", "
						    "\"no_iteration\", \"coverage\"], \"noise_floor\": null, "
						    "\"range\": \"cycle\"}, "
						    "\"rules\": [{\"rule\": \"iteration\", \"of\": null, "
						    "\"noise_floor\": 0.5, \"summary\": \"cycle\"}, "
						    "{\"rule\": \"operator\", \"of\": \"cycle\"}], "
						    "\"rules_excluded\": 6, \"findings\": [{\"code\": "
						    "\"iterations_uneven\", \"severity\": \"info\", \"message\": "
						    "\"cycles\"}], \"data_problems\": "
						    "[{\"code\": \"iterations\", \"message\": \"what\"}, "
						    "{\"code\": \"few_iterations\", \"message\": \"\"}, "
						    "{\"code\": \"runs\", \"message\": \"\"}], "
						    "\"compare\": \"/compare?range=cycle\"}";

static struct db *words_database(void)
{
	struct db *db = fixture_connect("");
	int applied;
	fixture_script(db, "CREATE DATABASE words");
	db_free(db);
	db = fixture_connect("dbname=words");
	works(migrate_files(db, words_files_before(), &applied, &e));
	assert_int_equal(applied, BEFORE);
	fixture_script(db, words_views);
	fixture_script(db, words_runs);
	fixture_script(db, words_layers);
	fixture_script(db, words_teams);
	struct sql_params p = { 0 };
	sql_text(&p, words_gate_before);
	works(sql_run(db,
		"INSERT INTO gate (who, project, workload, name, outcome, "
		"document) VALUES ('ci', 'p', 'w', '', 'pass', $1::jsonb)",
		&p, NULL, &e));
	return db;
}

/* Each is true after the migration. */
static const char *const words_true[] = {
	"SELECT attempts = 2 FROM upload",
	"SELECT attempts = 2 FROM upload_line",
	"SELECT source = 'a tree' FROM kernel",
	"SELECT array_agg(iteration_detector ORDER BY run_id) = "
	"'{given, period}' AND bool_and(iteration_confidence = 0.5 "
	"AND iteration_range = 'told' AND iterations = 7 "
	"AND iterations_kept = 6 AND iteration_ns = 5) FROM run",
	"SELECT array_agg(code ORDER BY code) = '{bad_event, "
	"iterations_partial, iterations_warmup, iterations_window, "
	"outside_table}' "
	"AND bool_and(detail = 'cycles') FROM run_note",
	"SELECT mean_ns = 5 AND median_ns = 6 AND table_path = 'k.cu' "
	"AND source = 'a tree' FROM kernel_line",
	"SELECT iteration = 3 AND number = 4 FROM run_iteration",
	"SELECT iterations = 6 AND text = 'told' FROM run_stratum",
	"SELECT per_iteration = 1.5 FROM run_signature",
	"SELECT iterations = 7 AND iteration = '\\x00' AND packed_values = 11 "
	"FROM run_axis",
	"SELECT rank = 0 FROM run_pattern_iteration",
	"SELECT found_by = 'path' FROM run_caller",
	"SELECT (source_sizes_ns, source_op_sizes_ns, source_op_ns, "
	"source_range_ns, source_node_ns, source_graph_ns, source_rule_ns, "
	"source_record_ns, source_not_ns, shape_known_ns, roofline_known_calls, "
	"roofline_known_ns, above_bound_ns) = "
	"(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13) FROM run_operator",
	"SELECT attribution_source = 'op_sizes' AND reason = 'told' "
	"FROM run_shape",
	"SELECT reason = 'a why' AND iterations = 3 AND iteration_total_ns = 5 "
	"AND iteration_mean_ns = 5 AND layered_median_ns IS NULL "
	"FROM run_breakdown",
	"SELECT position = 'layer' AND per_iteration = 2 AND similarity = 0.75 "
	"AND occurrences = 4 FROM run_section",
	"SELECT parallel_to = 1 FROM run_block",
	"SELECT rank = 6 AND stream = 2 AND occurrences = 4 "
	"AND roofline_known_launches = 8 AND roofline_known_ns = 9 "
	"FROM run_layer_row",
	"SELECT array_agg(document ORDER BY version) = ARRAY["
	"'{\"items\": [{\"name\": \"what\", \"description\": "
	"\"a \\\"what\\\": of told\", \"group\":\"what\"}]}', "
	"'{\"items\": [{\"match\": \"what\", \"what\": 1}]}', "
	"'{\"items\": [{\"name\": \"catalogue\", \"aliases\": "
	"{\"catalogue\": \"m\"}, \"cost\": {\"physical\": {}, "
	"\"catalog\" : {\"read\": \"m\"}}}]}'] "
	"FROM site_override",
	"SELECT upload_id = 1 FROM learned_graph",
	"SELECT last_used_at = signed_in_at AND created_by = 'boss' "
	"FROM token WHERE id = 1",
	"SELECT creator_id = 1 AND created_by = 'kernsiftd token' "
	"FROM token WHERE id = 2",
	"SELECT actor = 'ada' AND path = '/told' FROM audit",
	"SELECT array_agg(project || ' ' || metric ORDER BY run_id) = "
	"'{p iteration, cycle busy}' AND bool_and(recorded_at < now()) "
	"FROM change_point",
	"SELECT created_by = 'boss' FROM webhook",
	"SELECT attempts = 3 AND next_attempt_at IS NOT NULL "
	"AND body = '{\"cycle\": 1}' FROM webhook_delivery",
	"SELECT created_by = 'ci' FROM gate",
};

static void rows_of_migration_8_have_the_new_names(void **state)
{
	(void)state;
	struct db *db = words_database();
	int applied;
	works(migrate(db, &applied, &e));
	assert_true(applied >= 1);
	for (size_t i = 0; i < sizeof words_true / sizeof *words_true; i++) {
		struct result r;
		works(sql_run(db, words_true[i], NULL, &r, &e));
		if (!result_next(&r) || !result_bool(&r))
			fail_msg("not so: %s", words_true[i]);
		result_release(&r);
	}
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, words_gate_after);
	works(sql_run(db,
		"SELECT document = $1::jsonb, document::text FROM gate", &p, &r,
		&e));
	struct arena a = { 0 };
	assert_true(result_next(&r));
	bool same = result_bool(&r);
	const char *text = result_text(&r, &a);
	if (!same)
		fail_msg("%s", text);
	result_release(&r);
	arena_release(&a);
	/* A second start changes nothing. */
	works(migrate(db, &applied, &e));
	assert_int_equal(applied, 0);
	db_free(db);
}

/* The names of constraints, which error messages contain, change with their
 * columns. The value 'told' can no longer be stored. */
static void constraints_follow(void **state)
{
	(void)state;
	struct db *db = fixture_connect("dbname=words");
	struct arena a = { 0 };
	struct result r;
	works(sql_run(db,
		"SELECT name FROM (SELECT conname::text FROM pg_constraint "
		"WHERE connamespace = 'public'::regnamespace "
		"UNION ALL SELECT relname::text FROM pg_class "
		"WHERE relnamespace = 'public'::regnamespace) n (name) "
		"WHERE name ~ '(cycle|told|(^|_)own_|graph_known|why|run_place|"
		"run_work|maker|made_by|matters|(avg|med|sized)_ns|tries|"
		"beside|alike|lane)' AND name !~ '^sql_'",
		NULL, &r, &e));
	if (result_next(&r))
		fail_msg("%s", result_text(&r, &a));
	result_release(&r);
	arena_release(&a);
	struct err refused = { 0 };
	assert_false(sql_script(db,
		"UPDATE run SET iteration_detector = 'told'", &refused));
	assert_non_null(strstr(refused.text, "run_iteration_detector_check"));
	db_free(db);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(rows_of_migration_8_have_the_new_names),
		cmocka_unit_test(constraints_follow),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

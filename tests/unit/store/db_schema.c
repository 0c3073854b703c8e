/* db_schema.c - tests rules for the schema. They are checked in PostgreSQL's
 * own catalog, so that they also apply to tables added later. */
#include "fixture.h"

/* Small tables. They are local tables or reference tables in a database where
 * the other tables are distributed. */
#define LOCAL                                                   \
	"('upload', 'run_identity', 'token', 'kernel', 'job', " \
	"'migration', 'site_override', 'learned_graph', "       \
	"'reference_set', 'shape', 'operator_key', "            \
	"'rollup_cell', 'rollup_shape', 'rollup_seen', "        \
	"'rollup_kernel', 'fleet_best', 'fleet_best_source', "  \
	"'audit', 'gate', 'gate_number', 'change_point', "      \
	"'change_seen', 'retention', 'webhook', "               \
	"'webhook_delivery', 'platform_ceiling', 'slow_gpu', "  \
	"'slow_gpu_seen', 'upload_object', 'object_to_delete')"

#define BIG                                            \
	"pg_class t WHERE t.relkind = 'r' "            \
	"AND t.relnamespace = 'public'::regnamespace " \
	"AND t.relname NOT IN " LOCAL " "

/* Names what breaks the rule; NULL if nothing does. */
static void none(struct db *db, const char *sql)
{
	struct arena a = { 0 };
	struct result r;
	works(sql_run(db, sql, NULL, &r, &e));
	if (result_next(&r))
		fail_msg("'%s'", result_text(&r, &a));
	result_release(&r);
}

static void every_big_table_has_a_distribution_column(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM " BIG), 45);
	none(db, "SELECT t.relname::text FROM " BIG
		 "AND NOT EXISTS (SELECT FROM pg_attribute a "
		 "WHERE a.attrelid = t.oid AND a.attnotnull "
		 "AND a.attname IN ('run_id', 'upload_id'))");
	db_free(db);
}

static void every_unique_key_begins_with_it(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	none(db, "SELECT t.relname || ' ' || i.indexrelid::regclass FROM "
		 "pg_index i JOIN pg_class t ON t.oid = i.indrelid "
		 "LEFT JOIN pg_attribute a ON a.attrelid = t.oid "
		 "AND a.attnum = i.indkey[0] "
		 "WHERE i.indisunique AND t.relkind = 'r' "
		 "AND t.relnamespace = 'public'::regnamespace "
		 "AND t.relname NOT IN " LOCAL
		 " AND a.attname IS DISTINCT FROM CASE t.relname "
		 "WHEN 'upload_chunk' THEN 'upload_id' ELSE 'run_id' END");
	none(db, "SELECT t.relname::text FROM " BIG
		 "AND NOT EXISTS (SELECT FROM pg_constraint c "
		 "WHERE c.conrelid = t.oid AND c.contype = 'p')");
	db_free(db);
}

static void big_tables_refer_to_nothing_but_the_dictionary(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	none(db, "SELECT c.conname::text FROM pg_constraint c "
		 "JOIN pg_class t ON t.oid = c.conrelid "
		 "WHERE c.contype = 'f' AND t.relname NOT IN " LOCAL
		 " AND c.confrelid NOT IN ('kernel'::regclass, "
		 "'shape'::regclass)");
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM pg_constraint "
				 "WHERE contype = 'f' "
				 "AND conrelid = 'run_kernel'::regclass "
				 "AND confrelid = 'kernel'::regclass"),
		1);
	db_free(db);
}

static void chunks_are_not_compressed_again(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM pg_attribute "
				 "WHERE attrelid IN ('upload_chunk'::regclass, "
				 "'run_capture'::regclass) "
				 "AND attname = 'bytes' "
				 "AND attstorage = 'e'"),
		2);
	db_free(db);
}

#define FUSION(consumers, numbers)                                            \
	"INSERT INTO run_fusion VALUES (1, 0, 0, 0, 1, 0, 'norm', " consumers \
	", false, false, " numbers ", 1, 1, 1)"

#define FUSION_SAVED(values)                                        \
	"INSERT INTO run_fusion VALUES (1, 0, 0, 0, 1, 0, 'norm', " \
	"'second', false, false, 8, 1, 1, 1, 1, " values ")"

#define COLLECTIVE_SAVED(values)                                         \
	"INSERT INTO run_collective (run_id, rank, function, device, "   \
	"stream, launches, start_ns, dur_ns, saved_ns, saved_error_ns) " \
	"VALUES (1, 0, 'f', 0, 0, 1, '\\x00', '\\x00', " values ")"

#define RUN(columns, values)                                            \
	"INSERT INTO run (run_id, upload_id, ordinal, name, project, "  \
	"workload, labels, job, created_at, format, span_ns, busy_ns, " \
	"kernel_ns, launches, kernels, copy_ns, copies, device_names, " \
	"notes, analysis_version, " columns ") VALUES (1, 1, 0, '', "   \
	"'', '', '{}', '', now(), '', 0, 0, 0, 0, 0, 0, 0, '{}', 0, "   \
	"1, " values ")"
/* With 10 ns. */
#define ITERATION(columns, values)                                         \
	"INSERT INTO run_iteration (run_id, iteration, number, start_ns, " \
	"dur_ns, use, open, stratum, launches, " columns ") VALUES (1, "   \
	"0, 0, 0, 10, 'kept', false, 0, 0, " values ")"

#define MEASURE(value, source) \
	"INSERT INTO measure VALUES (1, 'm', " value ", 'ms', " source ", 'f')"

#define WAIT(cause, times) \
	"INSERT INTO run_wait VALUES (1, " cause ", " times ", '\\x00')"

#define ENERGY(energy, reason)                                               \
	"INSERT INTO run_energy (run_id, device, counter, samples, "         \
	"ignored, gaps, interval_ns, first_iteration, iterations, span_ns, " \
	"energy_j, low_j, high_j, reason) VALUES (1, 0, 'gpu_power', "       \
	"9, 0, 0, 1, 0, 1, 1, " energy ", 2, 4, " reason ")"

#define SECTION_WORK(work)                                                    \
	"INSERT INTO run_section (run_id, section, position, per_iteration, " \
	"first, occurrences, instances, total_ns, compute_ns, memory_ns, "    \
	"recomputed_ns, work_known_ns, flops_ns, recompute_known_ns) "        \
	"VALUES (1, 0, 'layer', 1, 0, 1, 1, 1, " work ")"

#define IDLE(power, reason)                                                        \
	"INSERT INTO run_energy (run_id, device, samples, ignored, gaps, "         \
	"first_iteration, iterations, reason, idle_w, idle_low_w, "                \
	"idle_high_w, operators_reason) VALUES (1, 0, 0, 0, 0, 0, 0, 'no', " power \
	", " reason ")"

#define ENERGY_OPERATOR(energy, reason)                             \
	"INSERT INTO run_energy_operator VALUES (1, 0, 0, 'gemm', " \
	"'bf16', NULL, 5, " energy ", 2, 4, " reason ")"

#define OPERATOR(total_ns)                                              \
	"INSERT INTO run_operator VALUES (1, 0, 'gemm', 'bf16', NULL, " \
	"false, 1, 1, " total_ns ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "  \
	"0, 0, 0, 0, 0, 0, 0)"

/* A place in a layer that is a copy. */
#define PLACE(columns, values)                                                       \
	"INSERT INTO run_layer_row (run_id, rank, block, role_by_module, stream, "   \
	"occurrences, extra, exclusive_ns, overlapped_ns, roofline_known_launches, " \
	"roofline_known_ns, sol_ps, instances, total_ns, " columns                   \
	") VALUES (1, 0, "                                                           \
	"0, false, 0, 1, false, 0, 0, 0, 0, 0, 1, 5, " values ")"

static void rows_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct db *db = fixture_db();
	static const char *const bad[] = {
		/* an unknown state; queued without bytes; failed without a
		 * sentence; labels that are not an object of texts */
		"INSERT INTO upload (state, project, workload, name, job, "
		"labels, file_name) VALUES ('lost', '', '', '', '', '{}', '')",
		"INSERT INTO upload (state, project, workload, name, job, "
		"labels, file_name) VALUES ('queued', '', '', '', '', '{}', "
		"'')",
		"UPDATE upload SET state = 'failed', finished_at = now()",
		"UPDATE upload SET labels = '[]'",
		"UPDATE upload SET labels = '{\"a\": 1}'",
		"UPDATE upload SET labels = '{\"a\": [\"b\"]}'",
		"UPDATE upload SET gpu_hours = 'NaN'",
		"UPDATE upload SET gpu_hours = -1",
		/* an empty chunk, one that is too large, one before the
		 * first */
		"INSERT INTO upload_chunk VALUES (1, 0, '')",
		"INSERT INTO upload_chunk VALUES (1, 0, "
		"convert_to(repeat('a', 1048577), 'UTF8'))",
		"INSERT INTO upload_chunk VALUES (1, -1, 'a')",
		/* a name under the hash of another name */
		"INSERT INTO kernel (sha256, name, short_name) "
		"VALUES (sha256('b'), 'a', 'a')",
		"INSERT INTO token (name, scope, sha256) "
		"VALUES ('t', 'root', sha256('a'))",
		"INSERT INTO run_note VALUES (1, 'x', 'loss', 0, '')",
		/* an empty chunk, one that is too large; a frame below
		 * itself, of no kind; a path without a frame, a frame without
		 * a path */
		"INSERT INTO run_capture VALUES (1, 0, '')",
		"INSERT INTO run_capture VALUES (1, 0, "
		"convert_to(repeat('a', 1048577), 'UTF8'))",
		"INSERT INTO run_frame VALUES (1, 2, 2, 'op', '')",
		"INSERT INTO run_frame VALUES (1, 0, 0, 'op', '')",
		"INSERT INTO run_frame VALUES (1, 2, 1, 'gpu', '')",
		"WITH k AS (INSERT INTO kernel (sha256, name, short_name) "
		"VALUES (sha256('b'), 'b', 'b') RETURNING id) INSERT INTO "
		"run_caller SELECT 1, id, 0, 'path', NULL, 1, 1 FROM k",
		"WITH k AS (INSERT INTO kernel (sha256, name, short_name) "
		"VALUES (sha256('b'), 'b', 'b') RETURNING id) INSERT INTO "
		"run_caller SELECT 1, id, 0, 'no_call', 3, 1, 1 FROM k",
		/* a job without a name and without an upload, and one with
		 * both; more kept iterations than iterations; an incomplete
		 * split of an iteration's time, and one that exceeds it; a
		 * pattern of nothing, and one of two things */
		"INSERT INTO job (project, name, upload_id) VALUES ('', '', 0)",
		"INSERT INTO job (project, name, upload_id) "
		"VALUES ('', 'a', 1)",
		"WITH j AS (INSERT INTO job (project, name, upload_id) VALUES "
		"('', 'a', 0)) INSERT INTO job (project, name, upload_id) "
		"VALUES ('', 'a', 0)",
		RUN("iterations, iterations_kept", "1, 2"),
		RUN("iteration_detector", "'guess'"),
		RUN("iteration_confidence", "1.01"),
		RUN("repeat_key", "'short'"),
		ITERATION("compute_ns, comm_ns", "1, 1"),
		ITERATION("compute_ns, comm_ns, copy_ns, idle_ns",
			"1, 0, 0, 8"),
		ITERATION("compute_ns, comm_ns, copy_ns, idle_ns",
			"-1, 0, 0, 11"),
		ITERATION("compute_ns, comm_ns, copy_ns, idle_ns, "
			  "comm_overlapped_ns",
			"5, 2, 0, 3, 6"),
		/* a value that is no number; a tool that does not exist */
		MEASURE("'NaN'", "'vllm'"),
		MEASURE("1.5", "'abacus'"),
		/* a class that does not exist */
		"INSERT INTO run_busy_class VALUES (1, 'bound', 1, '\\x00')",
		/* pairs with readers that do not exist; a tensor of no bytes;
		 * no pair */
		FUSION("'nobody'", "8, 1"),
		FUSION("'second'", "0, 1"),
		FUSION("'second'", "8, 0"),
		/* a pair that costs time; an error of an unknown mean, and less
		 * than none */
		FUSION_SAVED("-1, NULL"),
		FUSION_SAVED("NULL, 1"),
		FUSION_SAVED("1, -1"),
		/* no call on a device; a process that sees no GPU */
		"INSERT INTO run_device_shape VALUES (1, 0, 0, 0, 0, 5)",
		"INSERT INTO run_device (run_id, number, launches, visible) "
		"VALUES (1, 0, 1, 0)",
		/* the same of a collective */
		COLLECTIVE_SAVED("-1, NULL"),
		COLLECTIVE_SAVED("NULL, 1"),
		COLLECTIVE_SAVED("1, -1"),
		/* work without bytes; bytes of unknown work */
		"INSERT INTO run_iteration_work VALUES "
		"(1, 0, '{bf16}', '\\x00', NULL, '\\x00')",
		"INSERT INTO run_iteration_work VALUES "
		"(1, 0, NULL, NULL, '\\x00', '\\x00')",
		/* repeated operations without their time, and without all
		 * operations */
		"INSERT INTO run_iteration_work VALUES "
		"(1, 0, '{bf16}', '\\x00', '\\x00', '\\x00', '\\x00', NULL)",
		"INSERT INTO run_iteration_work VALUES "
		"(1, 0, NULL, NULL, NULL, '\\x00', '\\x00', '\\x00')",
		/* layers that repeat more than they compute; half of their work;
		 * a shape with half of what it repeats */
		SECTION_WORK("1, 1, 2, 3, 2, 1"),
		SECTION_WORK("1, 1, 1, 3, NULL, 1"),
		"INSERT INTO run_shape (run_id, operator, rank, attribution_source, "
		"launches, instances, total_ns, buckets, bucket, bucket_calls, "
		"recomputed_calls) VALUES (1, 0, 0, 'op', 1, 1, 1, 0, '', '', 1)",
		/* a cause that does not exist; time without a part; a range
		 * that is the name of an API call; the name of a cause without
		 * names */
		WAIT("'slow'", "1, 1"),
		WAIT("'unknown'", "1, 0"),
		"INSERT INTO run_wait_name VALUES (1, 0, 'launch_bound', "
		"'python', 'f', 1)",
		"INSERT INTO run_wait_name VALUES (1, 0, 'unknown', 'call', "
		"'f', 1)",
		/* energy outside of its interval; energy with a reason why it is
		 * unknown, and neither of them */
		ENERGY("5", "NULL"),
		ENERGY("3", "'unknown'"),
		ENERGY("NULL", "NULL"),
		/* likewise of an operator, and idle power; idle power without an
		 * interval, and with a reason why there is none */
		ENERGY_OPERATOR("5", "NULL"),
		ENERGY_OPERATOR("3", "'unknown'"),
		ENERGY_OPERATOR("NULL", "NULL"),
		IDLE("5, 2, 4", "NULL"),
		IDLE("3, NULL, NULL", "NULL"),
		IDLE("3, 2, 4", "'unknown'"),
		"INSERT INTO run_pattern VALUES (1, 0, NULL, NULL, '', '')",
		"WITH k AS (INSERT INTO kernel (sha256, name, short_name) "
		"VALUES (sha256('b'), 'b', 'b') RETURNING id) INSERT INTO "
		"run_pattern SELECT 1, 0, id, 'b', '', '' FROM k",
		"INSERT INTO run_signature VALUES (1, 0, 0, 'op', '', '', 0)",
		"INSERT INTO run_signature VALUES (1, 0, 0, 'op', '', '', 'NaN')",
		/* an incomplete set of operator figures; more attributed
		 * replays than replays; negative time; half a cost; calls in
		 * kept iterations without their time; an unknown kind of
		 * edit; a document under another's hash; lists of two
		 * lengths; a size under another's hash */
		RUN("catalog, gpu_ns", "'1', 5"),
		RUN("catalog, gpu_ns, weight_uh, replayed, replayed_known",
			"'1', 5, 1, 2, 3"),
		OPERATOR("-1"),
		"INSERT INTO run_shape (run_id, operator, rank, attribution_source, "
		"launches, instances, total_ns, buckets, bucket, bucket_calls, "
		"flops) VALUES (1, 0, 0, 'op', 1, 1, 1, 0, '', '', '')",
		"INSERT INTO run_shape (run_id, operator, rank, attribution_source, "
		"launches, instances, total_ns, buckets, bucket, bucket_calls, "
		"kept_calls) VALUES (1, 0, 0, 'op', 1, 1, 1, 0, '', '', 1)",
		"INSERT INTO site_override VALUES (1, 'names', '[]')",
		"INSERT INTO platform_ceiling (platform, document, "
		"measured_at) VALUES ('', '{}', now())",
		"INSERT INTO reference_set (name, source, sha256, document, "
		"runs, operators, shapes) VALUES ('a', '', sha256('b'), 'a', "
		"0, 0, 0)",
		"INSERT INTO learned_graph (upload_id, key, content, kernels, "
		"operators, shapes, dtypes, calls) VALUES (1, sha256('a'), "
		"sha256('a'), '{a,b}', '{a}', '{a}', '{a}', '{1}')",
		"INSERT INTO shape (sha256, text) VALUES (sha256('b'), 'a')",
		/* an unknown role; neither a kernel nor another kind; a block
		 * next to itself; an empty group */
		PLACE("operation, roles", "'copy', '{gemm}'"),
		PLACE("roles", "'{}'"),
		"INSERT INTO run_block VALUES (1, 0, 0, 'moe', 0, 1, 1, 1)",
		"INSERT INTO run_group VALUES (1, 0, 'call', '{}', 1, 1, NULL, "
		"1, 0)",
	};
	int64_t id;
	works(upload_begin(db, &fixture_meta, &id, &e));
	fixture_script(db, RUN("iterations, iterations_kept", "2, 1"));
	fixture_script(db, "DELETE FROM run");
	fixture_script(db, ITERATION("compute_ns, comm_ns, copy_ns, idle_ns",
				   "1, 0, 0, 9"));
	fixture_script(db, "DELETE FROM run_iteration");
	fixture_script(db, MEASURE("1.5", "'vllm'"));
	fixture_script(db, "DELETE FROM measure");
	fixture_script(db, WAIT("'unknown'", "1, 1"));
	fixture_script(db, "DELETE FROM run_wait");
	fixture_script(db, ENERGY("3", "NULL"));
	fixture_script(db, "DELETE FROM run_energy");
	fixture_script(db, IDLE("3, 2, 4", "NULL"));
	fixture_script(db, "DELETE FROM run_energy");
	fixture_script(db, ENERGY_OPERATOR("3", "NULL"));
	fixture_script(db, "DELETE FROM run_energy_operator");
	fixture_script(db, OPERATOR("1"));
	fixture_script(db, "DELETE FROM run_operator");
	fixture_script(db,
		PLACE("operation, roles", "'copy', '{o_proj,quantize}'"));
	fixture_script(db, "DELETE FROM run_layer_row");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = { 0 };
		if (sql_script(db, bad[i], &e))
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(e.code, ERR_INTERNAL);
	}
	db_free(db);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(every_big_table_has_a_distribution_column),
		cmocka_unit_test(every_unique_key_begins_with_it),
		cmocka_unit_test(
			big_tables_refer_to_nothing_but_the_dictionary),
		cmocka_unit_test(chunks_are_not_compressed_again),
		cmocka_unit_test(rows_that_make_no_sense_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

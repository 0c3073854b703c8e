/* db_save.c - tests that runs become visible all at once, are rebuilt, and are
 * deleted. */
#include "fixture.h"

static int setup(void **state)
{
	*state = fixture_db();
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static void all_parts_of_a_run_are_stored(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct run_row r;
	struct profile p = fixture_profile(&a);
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS);

	works(query_run(db, &a, id, &r, &e));
	assert_int_equal(r.id, id);
	assert_int_equal(r.upload, upload);
	assert_int_equal(r.ordinal, 0);
	assert_string_equal(r.name, "nightly");
	assert_string_equal(r.project, "mesa");
	assert_string_equal(r.workload, "train");
	assert_string_equal(r.job, "job7");
	assert_string_equal(r.labels,
		"{\"gpu\": \"h100\", \"branch\": \"main\"}");
	assert_string_equal(r.format, "kineto");
	assert_string_equal(r.framework, "pytorch");
	assert_string_equal(r.process_name, "python train.py");
	assert_string_equal(r.host, "node3");
	assert_int_equal(r.pid, 4711);
	assert_int_equal(r.started_utc_ns, 1755848102123456789);
	assert_int_equal(r.rank, 1);
	assert_int_equal(r.world_size, 8);
	assert_int_equal(r.device_names_n, 1);
	assert_string_equal(r.device_names[0], "H100");
	assert_int_equal(r.span_ns, 1000);
	assert_int_equal(r.busy_ns, 400);
	assert_int_equal(r.kernel_ns, 450);
	assert_int_equal(r.launches, 5);
	assert_int_equal(r.kernels, 2);
	assert_int_equal(r.copy_ns, 60);
	assert_int_equal(r.copies, 2);
	assert_int_equal(r.notes, 2);
	assert_string_equal(r.worst, "loss");
	assert_int_equal(r.analysis_version, ANALYSIS_VERSION);
	assert_true(r.created > INT64_C(1600000000000000));
	arena_release(&a);
}

static void unknown_values_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct run_row r;
	struct profile p = { .format = "kineto",
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = -1 };
	int64_t upload = fixture_save(db, "1", &p, 1);
	works(query_run(db, &a, *fixture_runs(db, &a, upload, 1), &r, &e));
	assert_null(r.framework);
	assert_null(r.process_name);
	assert_null(r.host);
	assert_null(r.worst);
	assert_int_equal(r.pid, -1);
	assert_int_equal(r.rank, -1);
	assert_int_equal(r.world_size, -1);
	assert_int_equal(r.started_utc_ns, -1);
	assert_int_equal(r.device_names_n, 0);
	assert_int_equal(r.notes, 0);
	arena_release(&a);
}

static void nameless_run_is_called_after_its_file(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct run_row r;
	struct profile p = fixture_profile(&a);
	struct upload_meta m = fixture_meta;
	const char *const files[] = { "a.json.gz", "" };
	for (int i = 0; i < 2; i++) {
		m.name = "";
		m.file_name = files[i];
		int64_t id = fixture_upload(db, &m, i ? "with" : "without").id;
		struct claim c = fixture_claim(db, id);
		works(save(db, &c, &p, 1, NULL, &e));
		works(query_run(db, &a, *fixture_runs(db, &a, id, 1), &r, &e));
		assert_string_equal(r.name,
			i ? arena_printf(&a, "upload %lld", (long long)id)
			  : "a.json.gz");
	}
	arena_release(&a);
}

static void ranks_of_one_file_are_runs_in_order(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile runs[3];
	for (int i = 0; i < 3; i++) {
		runs[i] = fixture_profile(&a);
		runs[i].rank = i;
	}
	int64_t upload = fixture_save(db, "1", runs, 3);
	const int64_t *ids = fixture_runs(db, &a, upload, 3);
	for (int i = 0; i < 3; i++) {
		struct run_row r;
		works(query_run(db, &a, ids[i], &r, &e));
		assert_int_equal(r.ordinal, i);
		assert_int_equal(r.rank, i);
	}
	assert_int_equal(fixture_derived(db), 3 * FIXTURE_ROWS);
	arena_release(&a);
}

static void trace_without_runs_is_done(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct upload_row row;
	int64_t id = fixture_save(db, "1", NULL, 0);
	works(upload_row_get(db, &a, id, &row, &e));
	assert_string_equal(row.state, "done");
	assert_int_equal(row.runs_n, 0);
	assert_true(row.finished >= row.received);
	assert_int_equal(row.done_bytes, row.bytes);
	assert_null(row.stage);
	arena_release(&a);
}

/* The first process saves. The others read until the upload is done, and see
 * either nothing or everything. */
static bool save_or_watch(struct db *db, int nth, struct err *e)
{
	struct arena a = { 0 };
	struct profile runs[8];
	struct claim c;
	for (int i = 0; i < 8; i++)
		runs[i] = fixture_profile(&a);
	if (nth == 0)
		return upload_claim(db, "host:1", 30, &c, e) &&
		       save(db, &c, runs, 8, NULL, e);
	for (bool done = false; !done;) {
		struct result r;
		if (!sql_run(db,
			    "SELECT count(DISTINCT r.run_id), "
			    "count(DISTINCT k.run_id), "
			    "count(DISTINCT n.run_id), u.state = 'done' "
			    "FROM upload u "
			    "LEFT JOIN run r ON r.upload_id = u.id "
			    "LEFT JOIN run_kernel k ON true "
			    "LEFT JOIN run_note n ON true "
			    "GROUP BY u.id",
			    NULL, &r, e))
			return false;
		result_next(&r);
		int64_t n = result_int8(&r, 0), kernels = result_int8(&r, 0);
		int64_t notes = result_int8(&r, 0);
		done = result_bool(&r);
		result_release(&r);
		if (n != (done ? 8 : 0) || kernels != n || notes != n)
			return err_set(e, ERR_INTERNAL,
				"%lld runs, %lld with kernels, %lld with notes",
				(long long)n, (long long)kernels,
				(long long)notes);
	}
	return true;
}

static void reader_never_sees_half(void **state)
{
	struct db *db = *state;
	for (int i = 0; i < 5; i++) {
		fixture_script(db,
			"TRUNCATE upload, upload_chunk, run_identity, run, "
			"run_kernel, run_note, run_copy, run_device");
		fixture_upload(db, &fixture_meta, "1");
		fixture_together(3, "", save_or_watch);
	}
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(all_parts_of_a_run_are_stored),
		CASE(unknown_values_are_read_back),
		CASE(nameless_run_is_called_after_its_file),
		CASE(ranks_of_one_file_are_runs_in_order),
		CASE(trace_without_runs_is_done),
		CASE(reader_never_sees_half),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

/* db_compared.c - tests that data which is saved for comparisons is read back
 * without a changed bit. */
#include "changes.h"
#include "query_compared.h"
#include "run_change.h"
#include "same.h"

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

static void all_parts_of_a_run_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a);
	struct compared_run r;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS + CHANGE_ROWS);
	works(query_compared(db, &a, &id, 1, true, &r, &e));
	assert_int_equal(r.id, id);
	assert_int_equal(r.upload, upload);
	assert_true(r.job > 0);
	assert_string_equal(r.name, "nightly");
	assert_string_equal(r.project, "mesa");
	assert_string_equal(r.workload, "train");
	assert_string_equal(r.labels,
		"{\"gpu\": \"h100\", \"branch\": \"main\"}");
	assert_string_equal(r.format, "kineto");
	assert_string_equal(r.framework, "pytorch");
	assert_string_equal(r.process_name, "python train.py");
	assert_string_equal(r.host, "node3");
	assert_int_equal(r.content, CONTENT_LAUNCHES);
	assert_int_equal(r.pid, 4711);
	assert_int_equal(r.rank, 1);
	assert_int_equal(r.world_size, 8);
	assert_int_equal(r.analysis_version, ANALYSIS_VERSION);
	assert_int_equal(r.span_ns, 1000);
	assert_int_equal(r.busy_ns, 400);
	assert_int_equal(r.kernel_ns, 450);
	assert_int_equal(r.launches, 5);
	assert_int_equal(r.device_names_n, 1);
	assert_string_equal(r.device_names[0], "H100");
	assert_int_equal(r.stats_n, 0);
	same_iterations(&p.iterations, &r.iterations);
	same_patterns(&p.patterns, &r.patterns);
	same_rest(&p, &r);
	arena_release(&a);
}

static void the_row_of_a_run_sums_its_iterations_up(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a), none = fixture_profile(&a);
	struct run_row r;
	int64_t upload = fixture_save(db, "1", &p, 1);
	works(query_run(db, &a, *fixture_runs(db, &a, upload, 1), &r, &e));
	assert_string_equal(r.iteration_detector, "annotation");
	assert_string_equal(r.iteration_range, "step ");
	assert_float_equal(r.iteration_confidence, 0.875, 0);
	assert_int_equal(r.iterations, 5);
	assert_int_equal(r.iterations_kept, 3);
	assert_float_equal(r.iteration_ns, 400, 0); /* of 300, 400, 500 */
	assert_true(r.job_id > 0);

	p.iterations.kept_n = 2;
	p.iterations.iterations[3].use = ITERATION_WARMUP;
	upload = fixture_save(db, "2", &p, 1);
	works(query_run(db, &a, *fixture_runs(db, &a, upload, 1), &r, &e));
	assert_float_equal(r.iteration_ns, 450, 0); /* of 400, 500 */

	upload = fixture_save(db, "3", &none, 1);
	works(query_run(db, &a, *fixture_runs(db, &a, upload, 1), &r, &e));
	assert_string_equal(r.iteration_detector, "none");
	assert_null(r.iteration_range);
	assert_int_equal(r.iterations, 0);
	assert_true(isnan(r.iteration_ns));
	arena_release(&a);
}

/* Only these two measures are read, of which the time per output token is stored in
 * milliseconds. The second run has none. */
static void measures_of_output_tokens_are_read(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { changing(&a), changing(&a) };
	struct compared_run r[2];
	int64_t upload = fixture_save(db, "1", p, 2);
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	fixture_script(db,
		arena_printf(&a,
			"INSERT INTO measure (run_id, name, value, unit, source, "
			"file) SELECT %lld, name, value, 'u', 'plain', '' "
			"FROM (VALUES ('tpot_mean', 9.5), ('tpot_p99', 30), "
			"('accept_length', 2.75)) AS m (name, value)",
			(long long)ids[0]));
	for (int full = 0; full < 2; full++) {
		works(query_compared(db, &a, ids, 2, full, r, &e));
		assert_float_equal(r[0].tpot_ns, 9.5e6, 1e-3);
		assert_float_equal(r[0].accept_length, 2.75, 0);
		assert_true(r[1].tpot_ns == 0 && r[1].accept_length == 0);
	}
	arena_release(&a);
}

static void runs_have_the_requested_order(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[3] = { changing(&a), fixture_profile(&a),
		changing(&a) };
	struct compared_run r[4];
	p[2].iterations.iterations[1].number = 88;
	p[2].patterns.rows[0].dur_ns[0] = 1234;
	int64_t upload = fixture_save(db, "1", p, 3);
	const int64_t *ids = fixture_runs(db, &a, upload, 3);
	const int64_t requested[] = { ids[2], ids[1], ids[0], ids[2] };
	works(query_compared(db, &a, requested, 4, true, r, &e));
	for (int i = 0; i < 4; i++) {
		assert_int_equal(r[i].id, requested[i]);
		const struct profile *is = &p[i == 3 ? 2 : 2 - i];
		same_iterations(&is->iterations, &r[i].iterations);
		same_patterns(&is->patterns, &r[i].patterns);
		same_rest(is, &r[i]);
	}
	works(query_compared(db, &a, requested, 4, false, r, &e));
	same_iterations(&p[2].iterations, &r[0].iterations);
	assert_int_equal(r[0].patterns.n, 0);
	assert_int_equal(r[0].patterns.iterations_n, 0);
	assert_int_equal(r[0].collectives.n, 0);
	assert_int_equal(r[0].facts.n, 3);
	works(query_compared(db, &a, NULL, 0, true, r, &e));
	arena_release(&a);
}

static void the_run_that_is_not_there_is_named(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { changing(&a), changing(&a) };
	struct compared_run r[3];
	int64_t upload = fixture_save(db, "1", p, 2);
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	int64_t requested[] = { ids[0], ids[1], 999 };
	refuses(query_compared(db, &a, requested, 3, true, r, &e),
		ERR_NOT_FOUND, "no run 999");
	works(run_delete(db, ids[1], &e));
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS + CHANGE_ROWS);
	refuses(query_compared(db, &a, requested, 2, true, r, &e),
		ERR_NOT_FOUND,
		arena_printf(&a, "no run %lld", (long long)ids[1]));
	works(query_compared(db, &a, requested, 1, true, r, &e));
	arena_release(&a);
}

static void a_rebuild_replaces_all_of_it(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a), none = fixture_profile(&a);
	struct compared_run r;
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	works(query_compared(db, &a, &id, 1, true, &r, &e));
	int64_t job = r.job;
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	works(save(db, &c, &none, 1, NULL, &e));
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS);
	works(query_compared(db, &a, &id, 1, true, &r, &e));
	assert_int_equal(r.job, job);
	assert_int_equal(r.iterations.n, 0);
	assert_int_equal(r.patterns.n, 0);
	works(upload_requeue_all(db, &queued, &e));
	c = fixture_claim(db, upload);
	works(save(db, &c, &p, 1, NULL, &e));
	works(query_compared(db, &a, &id, 1, true, &r, &e));
	same_patterns(&p.patterns, &r.patterns);
	arena_release(&a);
}

static void iterations_by_the_page(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a), none = fixture_profile(&a);
	struct iterations cs;
	bool more;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	works(query_iterations(db, &a, id, 0, 0, &cs, &more, &e));
	same_iterations(&p.iterations, &cs);
	assert_false(more);
	works(query_iterations(db, &a, id, 2, 2, &cs, &more, &e));
	assert_true(more);
	assert_int_equal(cs.n, 2);
	assert_int_equal(cs.iterations[0].number, 9);
	assert_int_equal(cs.iterations[1].number, 10);
	assert_int_equal(cs.kept_n, 3);
	assert_int_equal(cs.strata_n, 2);
	assert_int_equal(cs.works_n, 3);
	works(query_iterations(db, &a, id, 4, 1, &cs, &more, &e));
	assert_false(more);
	assert_int_equal(cs.n, 1);
	works(query_iterations(db, &a, id, 5, 1, &cs, &more, &e));
	assert_false(more);
	assert_int_equal(cs.n, 0);
	upload = fixture_save(db, "2", &none, 1);
	id = *fixture_runs(db, &a, upload, 1);
	works(query_iterations(db, &a, id, 0, 10, &cs, &more, &e));
	assert_int_equal(cs.detector, ITERATIONS_NONE);
	assert_int_equal(cs.n, 0);
	refuses(query_iterations(db, &a, 999, 0, 10, &cs, &more, &e),
		ERR_NOT_FOUND, "no run 999");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(all_parts_of_a_run_are_read_back),
		CASE(the_row_of_a_run_sums_its_iterations_up),
		CASE(measures_of_output_tokens_are_read),
		CASE(runs_have_the_requested_order),
		CASE(the_run_that_is_not_there_is_named),
		CASE(a_rebuild_replaces_all_of_it),
		CASE(iterations_by_the_page),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

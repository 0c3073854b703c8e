/* db_compared_odd.c - tests comparisons that read unusual data: large,
 * damaged, or replaced during the read. */
#include "same.h"
#include "query_compared.h"

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

/* `functions` functions with values in all of `iterations` iterations; the
 * numbers differ. */
static struct profile wide(struct arena *a, uint32_t functions,
	uint32_t iterations)
{
	struct profile p = fixture_profile(a);
	struct iterations *cs = &p.iterations;
	struct patterns *ps = &p.patterns;
	cs->detector = ITERATIONS_GIVEN;
	cs->n = cs->kept_n = ps->iterations_n = iterations;
	cs->iterations = arena_array(a, struct iteration, iterations);
	ps->iteration = arena_array(a, uint32_t, iterations);
	for (uint32_t i = 0; i < iterations; i++) {
		cs->iterations[i] = (struct iteration){ .number = i,
			.start_ns = -1,
			.dur_ns = -1,
			.compute_ns = -1,
			.comm_ns = -1,
			.copy_ns = -1,
			.idle_ns = -1,
			.comm_overlapped_ns = -1,
			.sync_ns = -1 };
		ps->iteration[i] = i;
	}
	ps->n = ps->metrics_n = functions;
	ps->rows = arena_array(a, struct pattern, functions);
	ps->metrics = arena_array(a, struct pattern_metric, functions);
	for (uint32_t f = 0; f < functions; f++) {
		struct pattern *r = &ps->rows[f];
		struct pattern_metric *m = &ps->metrics[f];
		*r = (struct pattern){ arena_printf(a, "f%u", f),
			FUNCTION_other_device, "a device", 3,
			arena_array(a, int64_t, iterations),
			arena_array(a, int64_t, iterations),
			arena_array(a, int64_t, iterations),
			arena_array(a, int64_t, iterations), NULL,
			arena_array(a, double, iterations), { 0 }, { 0 }, NULL,
			NULL };
		*m = (struct pattern_metric){ f, "SM",
			arena_array(a, double, iterations),
			arena_array(a, double, iterations),
			arena_array(a, uint8_t, iterations) };
		for (uint32_t i = 0; i < iterations; i++) {
			r->dur_ns[i] = (int64_t)i * 7919 * (f + 1);
			r->launches[i] = i % 100;
			r->min_ns[i] = -1;
			r->max_ns[i] = INT64_MAX - i;
			r->beta_pct[i] = i % 3 ? 1.0 / (i + 1) : NAN;
			m->mu[i] = i % 2 ? NAN : i * 0.1;
			m->sigma[i] = i;
			m->interpolated[i] = (uint8_t)(i % 4);
		}
	}
	return p;
}

static void numbers_that_fit_no_page(void **state)
{
	struct db *db = *state;
	/* In the row, in its own table, and beyond the sampling limit. */
	static const uint32_t sizes[][2] = { { 40, 230 }, { 5, 2000 },
		{ 2, 100000 } };
	for (int i = 0; i < 3; i++) {
		struct arena a = { 0 };
		struct profile p = wide(&a, sizes[i][0], sizes[i][1]);
		struct compared_run r;
		char bytes[2] = { (char)('0' + i), '\0' };
		int64_t upload = fixture_save(db, bytes, &p, 1);
		int64_t id = *fixture_runs(db, &a, upload, 1);
		works(query_compared(db, &a, &id, 1, true, &r, &e));
		same_iterations(&p.iterations, &r.iterations);
		same_patterns(&p.patterns, &r.patterns);
		arena_release(&a);
	}
}

static void more_rows_than_one_read(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a);
	struct compared_run r;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	fixture_script(db,
		"UPDATE run_axis SET packed_values = 1::bigint << 27");
	refuses(query_compared(db, &a, &id, 1, true, &r, &e), ERR_TOO_LARGE,
		"the iterations and patterns of these runs take 1024 MiB; at most "
		"1024 MiB are compared at once: take fewer runs");
	works(query_compared(db, &a, &id, 1, false, &r, &e));
	fixture_script(db, "UPDATE run SET iterations = 100000000");
	refuses(query_compared(db, &a, &id, 1, false, &r, &e), ERR_TOO_LARGE,
		"the iterations and patterns of these runs take 9918 MiB; at most "
		"1024 MiB are compared at once: take fewer runs");
	arena_release(&a);
}

static void rows_that_do_not_fit_each_other(void **state)
{
	struct db *db = *state;
	static const char *const how[] = {
		"UPDATE run_pattern_iteration SET dur_ns = '\\x01' WHERE rank = 1",
		"UPDATE run_pattern_iteration SET beta_pct = '' WHERE rank = 0",
		"DELETE FROM run_pattern_iteration WHERE rank = 2",
		"DELETE FROM run_pattern WHERE rank = 2",
		"DELETE FROM run_metric WHERE rank = 0",
		"DELETE FROM run_collective WHERE rank = 1",
		"UPDATE run_axis SET iterations = 2",
		"UPDATE run_axis SET patterns = 2",
		"UPDATE run_axis SET metrics = 1",
		"UPDATE run_axis SET collectives = 1",
		"UPDATE run_axis SET iteration = '\\x01010205'",
		"UPDATE run_axis SET iteration = '\\x0101ff02'",
		"UPDATE run_axis SET packed_values = packed_values + 1",
		"UPDATE run_axis SET packed_values = packed_values - 1",
		"UPDATE run_metric SET pattern = 3 WHERE rank = 1",
		"UPDATE run_metric SET sigma = '\\x03' WHERE rank = 1",
		"UPDATE run_collective SET launches = 5",
		"UPDATE run_collective SET sequence = NULL WHERE rank = 0",
		"DELETE FROM run_iteration WHERE iteration > 2",
	};
	struct arena a = { 0 };
	struct profile p = changing(&a);
	struct compared_run r;
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
		fixture_script(db, how[i]);
		refuses(query_compared(db, &a, &id, 1, true, &r, &e),
			ERR_INTERNAL,
			arena_printf(&a,
				"the rows of run %lld do not fit each other; "
				"'kernsiftd rebuild' makes them again",
				(long long)id));
		works(upload_requeue_all(db, &queued, &e));
		struct claim c = fixture_claim(db, upload);
		works(save(db, &c, &p, 1, NULL, &e));
	}
	works(query_compared(db, &a, &id, 1, true, &r, &e));
	arena_release(&a);
}

static void a_table_of_statistics_has_just_these(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { fixture_profile(&a), fixture_profile(&a) };
	struct compared_run r[2];
	p[0].content = CONTENT_STATISTICS;
	p[0].stats[1].time.med_ns = NAN;
	p[0].stats[1].time.min_ns = -1;
	int64_t upload = fixture_save(db, "1", p, 2);
	works(query_compared(db, &a, fixture_runs(db, &a, upload, 2), 2, true,
		r, &e));
	assert_int_equal(r[0].content, CONTENT_STATISTICS);
	assert_int_equal(r[0].stats_n, 2);
	assert_string_equal(r[0].stat_names[0], "void gemm<float>(int)");
	assert_string_equal(r[0].stat_names[1], "add");
	assert_int_equal(r[0].stats[0].instances, 3);
	assert_int_equal(r[0].stats[0].total_ns, 300);
	assert_int_equal(r[0].stats[1].min_ns, -1);
	assert_true(isnan(r[0].stats[1].med_ns));
	assert_int_equal(r[1].content, CONTENT_LAUNCHES);
	assert_int_equal(r[1].stats_n, 0);
	arena_release(&a);
}

static void codes_of_a_newer_version_are_ignored(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a);
	struct compared_run r;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	fixture_script(db, "UPDATE run_note SET code = 'of_tomorrow' "
			   "WHERE code = 'uncorrelated'");
	fixture_script(db, "UPDATE run_pattern SET type = 'of_tomorrow'");
	works(query_compared(db, &a, &id, 1, true, &r, &e));
	assert_int_equal(r.notes.count[NOTE_uncorrelated], 0);
	assert_int_equal(r.notes.count[NOTE_bad_event], 3);
	assert_int_equal(r.patterns.rows[0].type, FUNCTION_other_device);
	assert_int_equal(r.patterns.rows[2].type, FUNCTION_other_host);
	arena_release(&a);
}

static int64_t watched, watched_run;

/* The first process rebuilds the run with 3 and with 30 functions in turn.
 * The others read it and see one of the two. */
static bool rebuild_or_read(struct db *db, int nth, struct err *e)
{
	bool ok = true;
	for (int i = 0; ok && i < 30; i++) {
		struct arena a = { 0 };
		struct compared_run r;
		struct profile p = i % 2 ? changing(&a) : wide(&a, 30, 50);
		struct claim c;
		int64_t queued;
		if (nth == 0)
			ok = upload_requeue_all(db, &queued, e) &&
			     upload_claim(db, "host:1", 30, &c, e) &&
			     save(db, &c, &p, 1, NULL, e);
		else
			ok = query_compared(db, &a, &watched_run, 1, true, &r,
				     e) &&
			     ((r.iterations.n == 50 &&
				      r.patterns.metrics_n == 30) ||
				     (r.iterations.n == 5 &&
					     r.patterns.metrics_n == 2) ||
				     err_set(e, ERR_INTERNAL,
					     "%u iterations, %u metrics",
					     r.iterations.n,
					     r.patterns.metrics_n));
		arena_release(&a);
	}
	return ok;
}

static void a_reader_sees_one_moment(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a);
	watched = fixture_save(db, "1", &p, 1);
	watched_run = *fixture_runs(db, &a, watched, 1);
	fixture_together(4, "", rebuild_or_read);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(numbers_that_fit_no_page),
		CASE(more_rows_than_one_read),
		CASE(rows_that_do_not_fit_each_other),
		CASE(a_table_of_statistics_has_just_these),
		CASE(codes_of_a_newer_version_are_ignored),
		CASE(a_reader_sees_one_moment),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

/* db_operator.c - the operators that used the GPU time are read as they were
 * saved. */
#include "operator_fixture.h"
#include "query_operator.h"
#include <math.h>

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

static int64_t saved(struct db *db, struct arena *a, const struct profile *p)
{
	return *fixture_runs(db, a, fixture_save(db, "1", p, 1), 1);
}

static void same_text(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void operators_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	struct run_operators got;
	works(query_operators(db, &a, saved(db, &a, &p), &got, &e));
	assert_int_equal(fixture_derived(db),
		FIXTURE_ROWS + OPERATOR_FIXTURE_ROWS);
	assert_string_equal(got.platform, "H20");
	assert_string_equal(got.catalog, "1+7");
	assert_int_equal(got.gpu_ns, 510);
	assert_int_equal(got.replayed, 9);
	assert_int_equal(got.replayed_known, 4);
	assert_int_equal(got.n, 4);
	for (uint32_t i = 0; i < got.n; i++) {
		struct operator_stat x = got.rows[i], y = p.operators.rows[i];
		same_text(x.name, y.name);
		x.name = y.name = NULL;
		assert_memory_equal(&x, &y, sizeof x);
	}
	arena_release(&a);
}

static void same_shape(const struct shape_stat *x, const struct shape_stat *y)
{
	assert_int_equal(x->operator_, y->operator_);
	same_text(x->text, y->text);
	same_text(x->grid, y->grid);
	same_text(x->why, y->why);
	assert_int_equal(x->known, y->known);
	assert_int_equal(x->launches, y->launches);
	assert_int_equal(x->call.instances, y->call.instances);
	assert_int_equal(x->call.total_ns, y->call.total_ns);
	assert_true(isnan(x->call.p99_ns) && isnan(x->call.iqr_ns));
	assert_int_equal(x->buckets_n, y->buckets_n);
	assert_memory_equal(x->bucket, y->bucket,
		sizeof *x->bucket * x->buckets_n);
	assert_memory_equal(x->bucket_calls, y->bucket_calls,
		sizeof *x->bucket_calls * x->buckets_n);
	assert_int_equal(x->costed, y->costed);
	assert_memory_equal(&x->cost, &y->cost, sizeof x->cost);
	assert_int_equal(x->leg, y->leg);
	assert_int_equal(x->clock_leg, y->clock_leg);
	if (isnan(y->sol_ns)) {
		assert_true(isnan(x->sol_ns) && isnan(x->clock_sol_ns));
		return;
	}
	assert_float_equal(x->sol_ns, y->sol_ns, 0);
	assert_float_equal(x->clock_sol_ns, y->clock_sol_ns, 0);
}

/* The rows of an operator are together, most time first; page by page. */
static void shapes_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	static const struct {
		const char *op;
		uint32_t n;
		int of[3];
	} cases[] = { { "gemm", 3, { 0, 1, 2 } }, { "copy", 1, { 3 } },
		{ NULL, 1, { 4 } }, { "fused_moe", 0, { 0 } } };
	int64_t run = saved(db, &a, &p);
	struct shape_stat *rows;
	uint32_t n;
	bool more;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct shape_filter f = { .run = run, .op = cases[c].op };
		works(query_shapes(db, &a, &f, &rows, &n, &more, &e));
		assert_int_equal(n, cases[c].n);
		assert_false(more);
		for (uint32_t i = 0; i < n; i++)
			same_shape(&rows[i],
				&p.operators.shapes[cases[c].of[i]]);
	}
	struct shape_filter f = { .run = run,
		.op = "gemm",
		.offset = 1,
		.limit = 1 };
	works(query_shapes(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	assert_true(more);
	same_shape(rows, &p.operators.shapes[1]);
	f = (struct shape_filter){ .run = run, .named = true };
	works(query_shapes(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 4);
	for (uint32_t i = 0; i < n; i++)
		assert_true(p.operators.rows[rows[i].operator_].name);
	arena_release(&a);
}

static void bounds_at_a_clock_are_next_to_the_data_sheets(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	struct shape_filter f = { .op = "gemm", .limit = 1 };
	struct run_operators got;
	struct bound_shape *bound;
	struct shape_stat *rows;
	uint32_t n;
	bool more;
	p.operators.sm_clock_mhz = 1400;
	p.operators.rows[0].clock = (struct bound_sum){ 190500, 300, 60, 200 };
	p.operators.shapes[0].clock_sol_ns = 133.5;
	p.operators.shapes[1].clock_leg = LEG_COMPUTE;
	f.run = saved(db, &a, &p);
	works(query_operators(db, &a, f.run, &got, &e));
	assert_float_equal(got.sm_clock_mhz, 1400, 0);
	for (uint32_t i = 0; i < got.n; i++) {
		const struct operator_stat *x = &got.rows[i],
					   *y = &p.operators.rows[i];
		assert_memory_equal(&x->sheet, &y->sheet, sizeof x->sheet);
		assert_memory_equal(&x->clock, &y->clock, sizeof x->clock);
	}
	works(query_shapes(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	same_shape(rows, &p.operators.shapes[0]);
	f.offset = 1;
	works(query_shapes(db, &a, &f, &rows, &n, &more, &e));
	same_shape(rows, &p.operators.shapes[1]);
	/* what is compared with fleet-bests is the data sheet's */
	works(query_bound_shapes(db, &a, f.run, &bound, &n, &e));
	assert_int_equal(n, 3);
	assert_float_equal(bound[0].s, 100.25 / 200, 1e-15);
	assert_int_equal(bound[1].leg, LEG_MEMORY);
	arena_release(&a);
}

/* The copy has no cost, and the unattributed kernel no shape. */
static void work_and_the_times_it_is_compared_with_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	struct costed_shapes got;
	int64_t run = saved(db, &a, &p);
	works(query_costed_shapes(db, &a, run, &got, &e));
	assert_int_equal(got.n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct shape_stat *s = &p.operators.shapes[i];
		const struct costed_shape *x = &got.rows[i];
		assert_int_equal(x->operator_, s->operator_);
		assert_memory_equal(&x->cost, &s->cost, sizeof x->cost);
		assert_int_equal(x->calls, s->call.instances);
		assert_int_equal(x->total_ns, s->call.total_ns);
		assert_int_equal(x->kept_calls, s->kept_calls);
		assert_int_equal(x->kept_ns, s->kept_ns);
		assert_memory_equal(&x->recomputed, &s->recomputed,
			sizeof x->recomputed);
		assert_memory_equal(&x->kept_recomputed, &s->kept_recomputed,
			sizeof x->kept_recomputed);
	}
	assert_int_equal(got.devices, p.devices_n);
	assert_int_equal(got.span_ns, p.span_ns);
	assert_int_equal(got.kept_ns, -1);
	assert_int_equal(got.kept_gpu_ns, 200);
	/* two kept iterations; one row from before suffices that the sum of
	 * all rows is unknown */
	fixture_script(db,
		"INSERT INTO run_iteration (run_id, iteration, number, dur_ns, "
		"use, open, stratum, launches) "
		"SELECT run_id, n, n, 100 * n, "
		"CASE WHEN n > 1 THEN 'kept' ELSE 'warmup' END, false, 0, 1 "
		"FROM run, generate_series(0, 3) n; "
		"UPDATE run_shape SET kept_calls = NULL, kept_ns = NULL, "
		"recomputed_calls = NULL, recompute_known_ns = NULL, "
		"kept_recomputed_calls = NULL, kept_recompute_known_ns = NULL "
		"WHERE operator = 0 AND rank = 1");
	works(query_costed_shapes(db, &a, run, &got, &e));
	assert_int_equal(got.kept_ns, 500);
	assert_int_equal(got.rows[1].kept_calls, -1);
	assert_int_equal(got.rows[1].recomputed.calls, -1);
	assert_int_equal(got.rows[1].kept_recomputed.known_ns, -1);
	assert_int_equal(got.kept_gpu_ns, -1);
	refuses(query_costed_shapes(db, &a, 4711, &got, &e), ERR_NOT_FOUND,
		"no run 4711");
	arena_release(&a);
}

static void unattributed_kernels_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	struct unattributed_line *rows;
	uint32_t n;
	int64_t run = saved(db, &a, &p);
	works(query_unattributed(db, &a, run, 10, &rows, &n, &e));
	assert_int_equal(n, 1);
	assert_string_equal(rows[0].name, "add");
	assert_int_equal(rows[0].launches, 1);
	assert_int_equal(rows[0].total_ns, 50);
	assert_int_equal(rows[0].runs, 1);
	arena_release(&a);
}

/* A run from before operators were stored, or without GPU work. */
static void runs_without_operators(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct run_operators got;
	works(query_operators(db, &a, saved(db, &a, &p), &got, &e));
	assert_int_equal(got.n, 0);
	assert_int_equal(got.gpu_ns, -1);
	assert_null(got.catalog);
	refuses(query_operators(db, &a, 4711, &got, &e), ERR_NOT_FOUND,
		"no run 4711");
	arena_release(&a);
}

static void the_kernels_operator_is_in_its_table(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	p.kernels[0].op = "gemm";
	struct kernel_filter f = { .run = saved(db, &a, &p) };
	struct kernel_line *rows;
	uint32_t n;
	bool more;
	works(query_kernels(db, &a, &f, &rows, &n, &more, &e));
	assert_string_equal(rows[0].is.op, "gemm");
	assert_null(rows[1].is.op);
	/* The present catalog's result replaces the stored one. */
	p.kernels[1].op = "elementwise";
	f.run = *fixture_runs(db, &a, fixture_save(db, "2", &p, 1), 1);
	works(query_kernels(db, &a, &f, &rows, &n, &more, &e));
	assert_string_equal(rows[1].is.op, "elementwise");
	arena_release(&a);
}

/* If the GPU hours of an upload are given, its runs share them. Otherwise each
 * run represents one hour. */
static void the_weight_of_a_run(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[3] = { operator_fixture_profile(&a),
		operator_fixture_profile(&a), operator_fixture_profile(&a) };
	static const struct {
		double hours;
		uint32_t runs;
		int64_t weight;
	} cases[] = { { NAN, 1, 1000000 }, { NAN, 3, 1000000 },
		{ 1000, 1, 1000000000 }, { 1, 3, 333333 }, { 0, 2, 0 },
		{ 1e9, 1, INT64_C(1000000000000000) } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct upload_meta m = fixture_meta;
		m.gpu_hours = cases[i].hours;
		m.name = arena_printf(&a, "%zu", i);
		int64_t id = fixture_upload(db, &m, "1").id;
		struct claim c = fixture_claim(db, id);
		works(save(db, &c, p, cases[i].runs, NULL, &e));
		assert_int_equal(fixture_count(db,
					 "SELECT weight_uh FROM run "
					 "ORDER BY run_id DESC LIMIT 1"),
			cases[i].weight);
	}
	struct upload_meta m = fixture_meta;
	int64_t id;
	m.gpu_hours = 1.1e9;
	refuses(upload_begin(db, &m, &id, &e), ERR_INPUT,
		"gpu_hours is 1.1e+09; the limit is 1,000,000,000");
	arena_release(&a);
}

/* The parts of 510 ns: gemm 300 + 100 in two phases with 140 + 0 of headroom,
 * copy 60, and 50 unattributed without a roofline bound. */
static void parts_of_the_time(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = operator_fixture_profile(&a);
	int64_t run = saved(db, &a, &p);
	const int64_t ids[] = { run, run + 1000 };
	struct operator_time_row *rows;
	uint32_t n;
	works(query_operator_times(db, &a, ids, 2, &rows, &n, &e));
	assert_int_equal(n, 3);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(rows[i].run, run);
	same_text(rows[0].op, "copy");
	assert_true(fabs(rows[0].share - 60. / 510) < 1e-15);
	assert_true(isnan(rows[0].headroom));
	same_text(rows[1].op, "gemm");
	assert_true(fabs(rows[1].share - 400. / 510) < 1e-15);
	assert_true(fabs(rows[1].headroom - 140. / 510) < 1e-15);
	same_text(rows[2].op, NULL);
	assert_true(fabs(rows[2].share - 50. / 510) < 1e-15);
	assert_true(isnan(rows[2].headroom));
	works(query_operator_times(db, &a, ids + 1, 1, &rows, &n, &e));
	assert_int_equal(n, 0);
	arena_release(&a);
}

/* gemm 300 + 100 in two phases, with 3 + 1 launches. The row without a name is a
 * collective in the second run only. */
static void times_of_several_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { operator_fixture_profile(&a),
		operator_fixture_profile(&a) };
	p[0].operators.rows[3].collective = false;
	const int64_t *ids =
		fixture_runs(db, &a, fixture_save(db, "7", p, 2), 2);
	static const struct {
		int run;
		const char *name;
		int64_t total_ns, launches;
	} want[] = { { 0, "copy", 60, 2 }, { 1, "copy", 60, 2 },
		{ 0, "gemm", 400, 4 }, { 1, "gemm", 400, 4 },
		{ 0, NULL, 50, 1 } };
	enum { WANT = sizeof want / sizeof *want };
	struct run_operator_time *rows;
	uint32_t n;
	works(query_run_operator_times(db, &a, ids, 2, &rows, &n, &e));
	assert_int_equal(n, WANT);
	for (int i = 0; i < WANT; i++) {
		assert_int_equal(rows[i].run, ids[want[i].run]);
		same_text(rows[i].name, want[i].name);
		assert_int_equal(rows[i].total_ns, want[i].total_ns);
		assert_int_equal(rows[i].launches, want[i].launches);
	}
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(operators_are_read_back),
		CASE(shapes_are_read_back),
		CASE(bounds_at_a_clock_are_next_to_the_data_sheets),
		CASE(work_and_the_times_it_is_compared_with_are_read_back),
		CASE(unattributed_kernels_are_read_back),
		CASE(runs_without_operators),
		CASE(the_kernels_operator_is_in_its_table),
		CASE(the_weight_of_a_run),
		CASE(parts_of_the_time),
		CASE(times_of_several_runs),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

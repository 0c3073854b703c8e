/* test_fleet_fusions.c - pairs of several platforms and runs become candidates,
 * in the order of what they save. The formula has tests of its own. */
#include "fleet_fusions.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static struct catalog *catalog;

static int setup(void **state)
{
	struct err e = { 0 };
	(void)state;
	catalog = catalog_new(NULL, &e);
	return catalog ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	catalog_free(catalog);
	return 0;
}

static void near(double x, double y)
{
	assert_true(fabs(x - y) <= 1e-9 * fabs(y));
}

/* Two products of two tensors of 4 MB: 24 MB in 24 us, so that 8 MB are 8 us. An
 * hour is a second here. */
static struct fleet_fusion products(const char *platform, const int64_t *runs,
	uint32_t n)
{
	struct fleet_fusion_side side = { .op = "elementwise",
		.text = "x=[1000,1000] y=[1000,1000]",
		.dtype = DTYPE_FP32,
		.costed = true,
		.cost = { .read_bytes = 8000000, .write_bytes = 4000000 },
		.leg = LEG_MEMORY,
		.total_s = 12e-6,
		.hours = 12e-6 };

	side.cost.flops[DTYPE_FP32] = 1000000;
	return (struct fleet_fusion){ .first = side,
		.second = side,
		.platform = platform,
		.kind = "pointwise",
		.consumers = CONSUMERS_SECOND,
		.bytes = 4000000,
		.pairs = 1,
		.gap_s = 1e-6,
		.gap_hours = 1e-6,
		.runs = runs,
		.runs_n = n };
}

/* H20 has 4.0 TB/s, H200-SXM 4.8. A run has the pair twice, because the tensor
 * must be written only in a part of it. */
static void pairs_of_three_platforms(void **state)
{
	static const int64_t first[] = { 7, 3 }, second[] = { 9, 7 },
			     third[] = { 1, 2, 4, 5 };
	struct arena a = { 0 };
	struct fleet_fusion rows[] = { products("H200-SXM", first, 2),
		products("H20", second, 2), products("", third, 4),
		products("H20", first, 2) };
	struct fleet_fusion_list l;
	(void)state;
	rows[3].must_write = true;
	fleet_fusions_from(&(struct fleet_fusions){ rows, 4, 9, 2, 5 }, catalog,
		FUSION_CONSUMERS, 0, &a, &l);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.runs, 9);
	assert_int_equal(l.unknown, 2);
	const struct fleet_fusion_candidate *m = &l.all[0];
	assert_string_equal(m->platforms, "H200-SXM, H20");
	assert_int_equal(m->passes, 0);
	assert_int_equal(m->pairs, 4);
	assert_int_equal(m->runs, 7);
	assert_int_equal(m->run_n, FLEET_FUSION_RUNS);
	static const int64_t shown[] = { 7, 3, 9, 1, 2 };
	assert_memory_equal(m->run, shown, sizeof shown);
	near(m->traffic_hours, 28e-6);
	near(m->gap_hours, 4e-6);
	near(m->hours, 32e-6);
	near(m->saved_s, 32e-6);
	/* the peak of one platform is unknown */
	assert_true(isnan(m->at_peak_hours));
	arena_release(&a);
}

static void the_peak_of_two_platforms(void **state)
{
	static const int64_t run[] = { 1 };
	struct arena a = { 0 };
	struct fleet_fusion rows[] = { products("H200-SXM", run, 1),
		products("H20", run, 1) };
	struct fleet_fusion_list l;
	double h200 = catalog_platform(catalog, "H200-SXM")->bytes_per_s;
	double h20 = catalog_platform(catalog, "H20")->bytes_per_s;
	(void)state;
	fleet_fusions_from(&(struct fleet_fusions){ .rows = rows, .n = 2 },
		catalog, FUSION_CONSUMERS, 0, &a, &l);
	near(l.all[0].at_peak_hours, 8e6 / h200 + 8e6 / h20);
	assert_true(l.all[0].at_peak_hours < l.all[0].traffic_hours);
	arena_release(&a);
}

/* By readers, then by hours. The size of a tensor is unknown: last, with its gap,
 * although that is greater than what the other saves. */
static void candidates_are_ranked(void **state)
{
	static const int64_t run[] = { 1 };
	struct arena a = { 0 };
	struct fleet_fusion rows[5];
	struct fleet_fusion_list l;
	(void)state;
	for (int i = 0; i < 5; i++)
		rows[i] = products("H20", run, 1);
	rows[0].bytes = -1;
	rows[0].gap_hours = 1e-3;
	rows[1].consumers = CONSUMERS_OTHERS;
	rows[2].consumers = CONSUMERS_UNKNOWN;
	rows[3].consumers = CONSUMERS_UNKNOWN;
	rows[3].phase = PHASE_DECODE;
	rows[3].gap_hours = 1;
	fleet_fusions_from(&(struct fleet_fusions){ .rows = rows, .n = 5 },
		catalog, FUSION_CONSUMERS, 0, &a, &l);
	assert_int_equal(l.n, 5);
	assert_ptr_equal(l.all[0].is, &rows[3]);
	assert_ptr_equal(l.all[1].is, &rows[2]);
	assert_ptr_equal(l.all[2].is, &rows[4]);
	assert_ptr_equal(l.all[3].is, &rows[0]);
	assert_ptr_equal(l.all[4].is, &rows[1]);
	assert_true(isnan(l.all[3].traffic_hours));
	assert_true(isnan(l.all[3].hours) && isnan(l.all[3].saved_s));
	near(l.all[3].gap_hours, 1e-3);
	/* at most one of each, and then those that only one operator reads */
	const struct fleet_fusions all = { .rows = rows, .n = 5 };
	fleet_fusions_from(&all, catalog, FUSION_CONSUMERS, 1, &a, &l);
	assert_int_equal(l.n, 3);
	assert_int_equal(l.total[CONSUMERS_SECOND], 2);
	assert_int_equal(l.from[CONSUMERS_SECOND], 1);
	assert_int_equal(l.from[CONSUMERS_OTHERS], 2);
	fleet_fusions_from(&all, catalog, CONSUMERS_SECOND, 0, &a, &l);
	assert_int_equal(l.n, 2);
	assert_ptr_equal(l.all[0].is, &rows[4]);
	assert_int_equal(l.from[CONSUMERS_UNKNOWN], 0);
	assert_int_equal(l.from[CONSUMERS_SECOND], 0);
	assert_int_equal(l.from[CONSUMERS_OTHERS], 2);
	arena_release(&a);
}

/* Of operators with the sizes 1 to 3, each is followed by the next. The second and
 * the third pair differ only in the size of the tensor. An unknown shape may be
 * any. */
static void candidates_that_may_contain_one_call(void **state)
{
	static const int64_t run[] = { 1 };
	static const char *const shapes[][2] = { { "x=[1]", "x=[2]" },
		{ "x=[2]", "x=[3]" }, { "x=[2]", "x=[3]" }, { "x=[4]", NULL },
		{ NULL, "x=[1]" }, { "x=[5]", "x=[5]" } };
	struct arena a = { 0 };
	struct fleet_fusion rows[6];
	struct fleet_fusion_list l;
	(void)state;
	for (int i = 0; i < 6; i++) {
		rows[i] = products("H20", run, 1);
		rows[i].first.text = shapes[i][0];
		rows[i].second.text = shapes[i][1];
		rows[i].gap_hours = 6 - i;
	}
	rows[2].bytes = 4;
	fleet_fusions_from(&(struct fleet_fusions){ .rows = rows, .n = 6 },
		catalog, FUSION_CONSUMERS, 0, &a, &l);
	assert_int_equal(l.n, 6);
	static const int want[] = { 2, 1, 1, 0, 1, 0 };
	for (int i = 0; i < 6; i++) {
		assert_ptr_equal(l.all[i].is, &rows[i]);
		assert_int_equal(l.all[i].overlap_n, want[i]);
	}
	assert_string_equal(l.all[0].overlap[0],
		"elementwise x=[2], then elementwise x=[3]");
	assert_string_equal(l.all[0].overlap[1],
		"elementwise, then elementwise x=[1]");
	assert_string_equal(l.all[2].overlap[0],
		"elementwise x=[1], then elementwise x=[2]");
	arena_release(&a);
}

/* Every row is a candidate with a run of its own. When all rows were read for
 * each candidate, a request over 40,000 pairs took 22 s. */
static void many_candidates(void **state)
{
	enum { MANY = 40000 };
	struct arena a = { 0 };
	struct fleet_fusion *rows = arena_array(&a, struct fleet_fusion, MANY);
	int64_t *runs = arena_array(&a, int64_t, MANY);
	struct fleet_fusion_list l;
	(void)state;
	for (int i = 0; i < MANY; i++) {
		runs[i] = i;
		rows[i] = products("H20", &runs[i], 1);
		rows[i].bytes = 1 + i;
	}
	clock_t from = clock();
	fleet_fusions_from(&(struct fleet_fusions){ .rows = rows, .n = MANY },
		catalog, FUSION_CONSUMERS, 0, &a, &l);
	/* 0.12 s were measured, with the sanitizers. */
	clock_t spent = clock() - from;
	assert_true(spent < 5 * CLOCKS_PER_SEC);
	assert_int_equal(l.n, MANY);
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(l.all[i].runs, 1);
		assert_int_equal(l.all[i].run[0], l.all[i].is->bytes - 1);
	}
	arena_release(&a);
}

/* A pair without sizes, without a cost or without the size of its tensor is no
 * task. */
static void tasks_have_the_work_of_one_kernel(void **state)
{
	static const int64_t run[] = { 1 };
	struct arena a = { 0 };
	struct fleet_fusion rows[5];
	struct fleet_fusion_list l;
	struct fleet_importance m;
	struct fleet_shape *shapes;
	uint32_t n;
	(void)state;
	for (int i = 0; i < 5; i++)
		rows[i] = products("H20", run, 1);
	rows[1].first.text = NULL;
	rows[2].second.costed = false;
	rows[2].phase = PHASE_DECODE;
	rows[3].bytes = -1;
	rows[4].must_write = true;
	rows[4].first.text = "x=[2,500000] y=[2,500000]";
	fleet_fusions_from(&(struct fleet_fusions){ rows, 5, 1, 0, 9e-5 },
		catalog, FUSION_CONSUMERS, 0, &a, &l);
	fleet_fusions_tasks(&l, catalog, &a, &m, &shapes, &n);
	assert_int_equal(n, 2);
	assert_int_equal(m.n, 1);
	assert_string_equal(m.rows[0].op, "elementwise+elementwise");
	near(m.rows[0].importance, 48e-6 / 9e-5);
	assert_int_equal(m.platforms_n, 1);
	assert_string_equal(m.platforms[0]->name, "H20");
	assert_string_equal(shapes[0].text,
		"first_x=[1000,1000] first_y=[1000,1000] "
		"second_x=[1000,1000] second_y=[1000,1000]");
	/* 8 MB and 4 MB are read, 4 MB written, 24 us long */
	assert_int_equal(shapes[0].cost.read_bytes, 12000000);
	assert_int_equal(shapes[0].cost.write_bytes, 4000000);
	assert_int_equal(shapes[0].cost.flops[DTYPE_FP32], 2000000);
	near(shapes[0].med_ns, 24000);
	assert_int_equal(shapes[1].cost.read_bytes, 12000000);
	assert_int_equal(shapes[1].cost.write_bytes, 8000000);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_three_platforms),
		cmocka_unit_test(the_peak_of_two_platforms),
		cmocka_unit_test(candidates_are_ranked),
		cmocka_unit_test(candidates_that_may_contain_one_call),
		cmocka_unit_test(many_candidates),
		cmocka_unit_test(tasks_have_the_work_of_one_kernel),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}

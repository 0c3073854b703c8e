/* test_importance.c - compares the weights of operators with sums over runs,
 * and intervals with individual draws. */
#include "fleet_importance.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct world_run three[] = {
	/* half gemm in two dtypes, a quarter norm, a quarter unattributed */
	{ "p", "w1", "H20", 1, 8,
		{ { "gemm", DTYPE_BF16, PHASE_PREFILL, 3, 3, 3, 1.5, 3, 1.5, 0,
			  6e12, 1e9 },
			{ "gemm", DTYPE_FP8_E4M3, PHASE_PREFILL, 1, 1, 1, 0.5,
				1, 0.5, 0, 2e12, 1e9 },
			{ "rms_norm", DTYPE_BF16, PHASE_PREFILL, 2, 2, 2, 2.5,
				0, 0, 2, 1e9, 4e9 },
			{ NULL, DTYPE_UNKNOWN, PHASE_UNKNOWN, 2, 0, 0, 0, 0, 0,
				0, 0, 0 } },
		4 },
	/* gemm only, with a weight of three hours */
	{ "p", "w1", "H20", 3, 10,
		{ { "gemm", DTYPE_BF16, PHASE_DECODE, 10, 5, 5, 1, 0, 4, 0,
			1e12, 8e9 } },
		1 },
	/* waiting, on an unknown platform */
	{ "p", "w2", "", 1, 4,
		{ { "collective", DTYPE_BF16, PHASE_UNKNOWN, 4, 4, 0, 0, 0, 0,
			0, 0, 0 } },
		1 },
};

/* Computed by the definitions, run by run. */
static void weights(void **state)
{
	struct arena a = { 0 };
	struct fleet_cell cells[3];
	struct fleet_row rows[12];
	struct fleet f = world_fleet(three, 3, cells, rows);
	struct importance out = fleet_importance(&f, WEIGHT_TIME, &a);
	static const char *const names[] = { "gemm", "rms_norm", NULL,
		"collective" };
	(void)state;
	assert_int_equal(out.n, 4);
	for (size_t o = 0; o < 4; o++) {
		double time = 0, all = 0, share = 0;
		int present = 0;
		for (int r = 0; r < 3; r++) {
			double t = 0;
			for (int u = 0; u < three[r].n; u++)
				if (world_same(three[r].uses[u].op, names[o]))
					t += three[r].uses[u].s;
			time += three[r].hours * t;
			all += three[r].hours * three[r].gpu_s;
			share += t / three[r].gpu_s;
			present += t > 0;
		}
		const struct importance_row *is = row(&out, names[o]);
		near(is->w_time, time / all);
		near(is->w_mean, share / 3);
		near(is->w_present, share / present);
		near(is->prevalence, present / 3.0);
		assert_int_equal(is->runs, present);
		near(is->importance, is->w_time);
	}
	assert_int_equal(out.runs, 3);
	near(out.gpu_s, 22);
	near(out.hours, 5);
	/* 42 weighted seconds: 2 are unattributed; of 36 in gemm-like
	 * operators 21 have a shape and 21 a bound */
	near(out.attributed, 40 / 42.0);
	near(out.sized, (4 + 2 + 15 + 4) / 42.0);
	near(out.bound, (4 + 2 + 15) / 42.0);
	arena_release(&a);
}

static void one_operator(void **state)
{
	struct arena a = { 0 };
	struct fleet_cell cells[3];
	struct fleet_row rows[12];
	struct fleet f = world_fleet(three, 3, cells, rows);
	struct importance out = fleet_importance(&f, WEIGHT_TIME, &a);
	const struct importance_row *g = row(&out, "gemm");
	(void)state;
	assert_string_equal(g->dtypes, "bf16/fp8_e4m3");
	assert_string_equal(g->phases, "prefill/decode");
	/* bound: 4 s of the first run, 15 weighted seconds of the second */
	near(g->s, (2 + 3) / 19.0);
	near(g->ai, (8e12 + 3e12) / (2e9 + 24e9));
	near(g->headroom, (2 + 12) / 42.0);
	near(g->sized, 19 / 34.0);
	assert_int_equal(g->leg, LEG_MEMORY); /* compute takes 4 of 19 */
	assert_int_equal(g->places_n, 1);
	assert_string_equal(g->places[0].platform, "H20");
	assert_int_equal(g->places[0].calls, 3);
	near(g->places[0].total_s, 14);
	const struct importance_row *n = row(&out, "rms_norm");
	near(n->s, 1.25);
	near(n->over, 1);
	near(n->headroom, 0);
	const struct importance_row *w = row(&out, "collective");
	assert_true(w->collective && isnan(w->headroom) && isnan(w->s));
	assert_int_equal(w->leg, LEG_NONE);
	const struct importance_row *none = row(&out, NULL);
	assert_null(none->dtypes);
	assert_null(none->phases);
	assert_int_equal(none->shapes, -1);
	arena_release(&a);
}

/* The unweighted time of calls with a roofline bound, if it can be derived. */
static void mean_calls(void **state)
{
	static const struct {
		double hours[2];
		double bound_s; /* of the second run's 10 s */
		bool apart; /* in workloads of their own */
		double plain_bound_s, plain_sol_s;
	} rows[] = {
		{ { 1, 100 }, 0, true, 4, 2 },
		{ { 3, 100 }, 5, true, 9, 4 },
		{ { 1, 1 }, 5, false, 9, 4 },
		{ { 1, 100 }, 5, false, NAN, NAN },
		/* all of it has a bound: S is computed from the weighted
		 * sums */
		{ { 1, 9 }, 10, false, 14, 14 * (2 + 9 * 2) / 94.0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double bound = rows[i].bound_s;
		struct world_run runs[] = {
			{ "p", "w1", "H20", rows[i].hours[0], 8,
				{ { "gemm", DTYPE_BF16, PHASE_DECODE, 4, 4, 4,
					2, 0, 0, 0, 0, 0 } },
				1 },
			{ "p", rows[i].apart ? "w2" : "w1", "H20",
				rows[i].hours[1], 10,
				{ { "gemm", DTYPE_BF16, PHASE_DECODE, 10, bound,
					bound, bound > 0 ? 2 : 0, 0, 0, 0, 0,
					0 } },
				1 },
		};
		struct arena a = { 0 };
		struct fleet_cell cells[2];
		struct fleet_row of[2];
		struct fleet f = world_fleet(runs, 2, cells, of);
		struct importance out = fleet_importance(&f, WEIGHT_TIME, &a);
		const struct importance_place *p = out.rows[0].places;
		if (isnan(rows[i].plain_bound_s)) {
			assert_true(isnan(p->plain_bound_s));
			assert_true(isnan(p->plain_sol_s));
		} else {
			near(p->plain_bound_s, rows[i].plain_bound_s);
			near(p->plain_sol_s, rows[i].plain_sol_s);
		}
		arena_release(&a);
	}
}

static void orders(void **state)
{
	struct arena a = { 0 };
	struct fleet_cell cells[3];
	struct fleet_row rows[12];
	struct fleet f = world_fleet(three, 3, cells, rows);
	struct importance time = fleet_importance(&f, WEIGHT_TIME, &a);
	struct importance mean = fleet_importance(&f, WEIGHT_MEAN, &a);
	struct importance present = fleet_importance(&f, WEIGHT_PRESENT, &a);
	(void)state;
	/* 34, 4, 2 and 2 of 42; ties by name, unattributed last */
	assert_string_equal(time.rows[0].op, "gemm");
	assert_string_equal(time.rows[1].op, "collective");
	assert_string_equal(time.rows[2].op, "rms_norm");
	assert_null(time.rows[3].op);
	assert_string_equal(mean.rows[0].op, "gemm");
	near(mean.rows[0].importance, 1.5 / 3);
	assert_string_equal(present.rows[0].op, "collective");
	near(present.rows[0].importance, 1);
	assert_string_equal(time.interval_why,
		"intervals are drawn from workloads: it takes 8, and there are "
		"2");
	assert_true(isnan(time.rows[0].low) && isnan(time.rows[0].high));
	arena_release(&a);
}

/* Rows in the order of the runs; the cells are those of the workloads. */
static void by_energy(void **state)
{
	static const double kwh[] = { 2, 1, 4, 1, 3, 9 };
	struct arena a = { 0 };
	struct fleet_cell cells[3];
	struct fleet_row rows[12];
	struct fleet f = world_fleet(three, 3, cells, rows);
	(void)state;
	assert_int_equal(f.rows_n, 6);
	for (int i = 0; i < 6; i++)
		rows[i].energy_kwh = kwh[i];
	cells[0].energy_kwh = 11;
	cells[1].energy_kwh = 9;
	struct importance out = fleet_importance(&f, WEIGHT_ENERGY, &a);
	assert_string_equal(out.rows[0].op, "collective");
	assert_string_equal(out.rows[1].op, "gemm");
	near(out.energy_kwh, 20);
	near(row(&out, "gemm")->importance, 6 / 20.0);
	near(row(&out, "gemm")->energy_kwh, 6);
	near(row(&out, NULL)->importance, 1 / 20.0);
	near(row(&out, "gemm")->w_time, 34 / 42.0);
	out = fleet_importance(&f, WEIGHT_TIME, &a);
	assert_true(isnan(out.energy_kwh) && isnan(out.rows[0].energy_kwh));
	arena_release(&a);
}

static void no_runs(void **state)
{
	struct arena a = { 0 };
	struct fleet f = { 0 };
	struct importance out = fleet_importance(&f, WEIGHT_MEAN, &a);
	(void)state;
	assert_int_equal(out.n, 0);
	assert_int_equal(out.runs, 0);
	assert_true(isnan(out.attributed) && isnan(out.bound));
	assert_string_equal(out.interval_why,
		"there is nothing to draw intervals of");
	arena_release(&a);
}

static void runs_of_no_weight(void **state)
{
	struct world_run idle = three[0];
	struct arena a = { 0 };
	struct fleet_cell cells[1];
	struct fleet_row rows[4];
	(void)state;
	idle.hours = 0;
	struct fleet f = world_fleet(&idle, 1, cells, rows);
	struct importance out = fleet_importance(&f, WEIGHT_TIME, &a);
	assert_true(isnan(out.rows[0].importance));
	/* then by name */
	assert_string_equal(out.rows[0].op, "gemm");
	assert_string_equal(out.interval_why,
		"intervals are drawn from workloads: it takes 8, and there is "
		"1");
	near(fleet_importance(&f, WEIGHT_MEAN, &a).rows[0].importance, 0.5);
	arena_release(&a);
}

static void shapes_are_counted(void **state)
{
	struct arena a = { 0 };
	struct fleet_cell cells[3];
	struct fleet_row rows[12];
	struct fleet_count counts[] = { { "gemm", 7 } };
	struct fleet f = world_fleet(three, 3, cells, rows);
	(void)state;
	f.counts = counts;
	f.counts_n = 1;
	struct importance out = fleet_importance(&f, WEIGHT_TIME, &a);
	assert_int_equal(row(&out, "gemm")->shapes, 7);
	assert_int_equal(row(&out, "rms_norm")->shapes, 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights),
		cmocka_unit_test(one_operator),
		cmocka_unit_test(mean_calls),
		cmocka_unit_test(orders),
		cmocka_unit_test(by_energy),
		cmocka_unit_test(no_runs),
		cmocka_unit_test(runs_of_no_weight),
		cmocka_unit_test(shapes_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

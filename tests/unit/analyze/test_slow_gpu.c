/* test_slow_gpu.c - tests slow GPUs in fleets whose effects are exact. */
#include "slow_gpu.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { GPUS = 12, RUNS = 5, CELLS = 6 };

/* A fleet; GPU u has the effect effect[u] and runs[u] runs that execute the
 * cells of cells[u], a bit each. Cell c takes e^c. */
struct fleet {
	uint32_t gpus;
	double effect[GPUS];
	uint32_t runs[GPUS], cells[GPUS];
	double clock[GPUS], throttled_pct[GPUS];

	struct slow_gpu row[GPUS];
	double deviation[GPUS * RUNS * CELLS];
	uint32_t samples;
};

static void assert_near(double x, double wanted, double within)
{
	assert_true(fabs(x - wanted) <= within);
}

/* Runs differ by -2, -1, 0, 1 and 2 tenths of a percent, so that the median run
 * of a GPU with all of them has none of it. */
static double run_noise(uint32_t r)
{
	return 0.001 * (double)r - 0.002;
}

static void fleet_from(struct fleet *f)
{
	struct slow_gpu_sample samples[GPUS * RUNS * CELLS];
	struct slow_gpu_run runs[GPUS * RUNS];
	struct slow_gpu_given g = { .samples = samples,
		.runs = runs,
		.gpus_n = f->gpus,
		.cells_n = CELLS };
	struct arena a = { 0 };

	for (uint32_t u = 0; u < f->gpus; u++)
		for (uint32_t r = 0; r < f->runs[u]; r++, g.runs_n++) {
			runs[g.runs_n] = (struct slow_gpu_run){ .gpu = u,
				.sm_clock_mhz = f->clock[u],
				.throttled_pct = f->throttled_pct[u] };
			for (uint32_t c = 0; c < CELLS; c++)
				if (f->cells[u] >> c & 1)
					samples[g.samples_n++] =
						(struct slow_gpu_sample){
							g.runs_n, c,
							c + f->effect[u] +
								run_noise(r)
						};
		}
	f->samples = g.samples_n;
	slow_gpus_from(&g, &a, f->row, f->deviation);
	arena_release(&a);
}

/* Eight GPUs with five runs of cells 0 to 2, whose effects are 0.1 % apart from
 * their neighbors, with a median of 0. */
static struct fleet eight(void)
{
	static const double effect[8] = { -0.003, -0.002, -0.001, 0, 0, 0.001,
		0.002, 0.003 };
	struct fleet f = { .gpus = 8 };

	for (uint32_t u = 0; u < GPUS; u++) {
		f.effect[u] = u < 8 ? effect[u] : 0;
		f.runs[u] = RUNS;
		f.cells[u] = 7;
		f.clock[u] = f.throttled_pct[u] = NAN;
	}
	return f;
}

static void one_slow(void **state)
{
	struct fleet f = eight();
	(void)state;

	f.effect[7] = 0.05;
	fleet_from(&f);
	const struct slow_gpu *slow = &f.row[7];
	assert_int_equal(slow->verdict, SLOW_GPU_SLOW);
	assert_near(slow->raw, expm1(0.05), 1e-9);
	/* shrunk, but by one standard error at most */
	assert_true(slow->slowdown < slow->raw && slow->slowdown > slow->low);
	assert_true(slow->low < slow->raw && slow->raw < slow->high);
	assert_true(slow->p_adjusted <= 0.01);
	assert_near(slow->p_adjusted, 8 * slow->p, 1e-15);
	assert_true(slow->detectable > 0.01 && slow->detectable < 0.05);
	assert_int_equal(slow->runs, 5);
	assert_int_equal(slow->cells, 3);
	assert_int_equal(slow->peers, 8);
	assert_true(isnan(slow->by_clock) && isnan(slow->by_power) &&
		    isnan(slow->by_neither) && isnan(slow->clock_deficit));
	for (int u = 0; u < 7; u++) {
		assert_int_equal(f.row[u].verdict, SLOW_GPU_NOT_SLOW);
		assert_near(f.row[u].raw, expm1(f.effect[u]), 1e-9);
	}
	/* The last sample is the slow GPU's last run, 0.2 % above its median. */
	assert_near(f.deviation[f.samples - 1], 0.052, 1e-9);
}

/* Each operator takes longer than the one before, and each GPU executes only
 * one or two of them. */
static void slow_operators_accuse_nobody(void **state)
{
	struct fleet f = eight();
	(void)state;

	for (uint32_t u = 0; u < 8; u++)
		f.cells[u] = u < 4 ? 3 : 6;
	fleet_from(&f);
	for (uint32_t u = 0; u < 8; u++) {
		assert_int_equal(f.row[u].verdict, SLOW_GPU_NOT_SLOW);
		assert_near(f.row[u].raw, expm1(f.effect[u]), 2e-6);
		assert_int_equal(f.row[u].cells, 2);
	}
}

/* A proven effect below the margin. */
static void below_the_margin(void **state)
{
	struct fleet f = eight();
	(void)state;

	for (uint32_t u = 0; u < 8; u++)
		f.effect[u] = u == 7 ? 0.0098 : 0;
	fleet_from(&f);
	assert_true(f.row[7].p_adjusted <= 0.01);
	assert_int_equal(f.row[7].verdict, SLOW_GPU_UNDECIDED);
}

/* Effects of 0 to 20 %, evenly: nobody is an outlier. */
static void a_wide_fleet(void **state)
{
	struct fleet f = eight();
	(void)state;

	for (uint32_t u = 0; u < 8; u++)
		f.effect[u] = 0.2 * u / 7;
	fleet_from(&f);
	assert_int_equal(f.row[7].verdict, SLOW_GPU_UNDECIDED);
	assert_true(f.row[7].p_adjusted > 0.5);
	assert_true(f.row[7].detectable > 0.3);
}

static void not_judged(void **state)
{
	struct fleet f = eight();
	(void)state;

	f.gpus = 12;
	f.runs[8] = 2; /* a slow one, with two runs */
	f.effect[8] = 0.5;
	f.cells[9] = 8; /* a cell of its own */
	f.cells[10] = f.cells[11] = 16; /* a cell of two */
	fleet_from(&f);
	assert_int_equal(f.row[8].reason, SLOW_GPU_FEW_RUNS);
	assert_int_equal(f.row[9].reason, SLOW_GPU_NO_PEER);
	assert_int_equal(f.row[10].reason, SLOW_GPU_NO_PEER);
	for (int u = 8; u < 12; u++) {
		assert_int_equal(f.row[u].verdict, SLOW_GPU_NOT_JUDGED);
		assert_true(isnan(f.row[u].slowdown) && isnan(f.row[u].p));
	}
	assert_true(isnan(f.deviation[f.samples - 1]));
	assert_int_equal(f.row[0].verdict, SLOW_GPU_NOT_SLOW);

	f.gpus = 5; /* of a group of five */
	fleet_from(&f);
	assert_int_equal(f.row[0].reason, SLOW_GPU_FEW_GPUS);
	assert_int_equal(f.row[0].peers, 5);
	f.gpus = 0;
	fleet_from(&f);
}

/* Five parts of 5 %: a clock that is 3 % lower; power held it in a third of the
 * time. */
static void split_by_cause(void **state)
{
	struct fleet f = eight();
	(void)state;

	for (uint32_t u = 0; u < 8; u++) {
		f.clock[u] = u == 7 ? 1500 * exp(-0.03) : 1500;
		f.throttled_pct[u] = u == 7 ? 100.0 / 3 : 0;
	}
	f.effect[7] = 0.05;
	fleet_from(&f);
	const struct slow_gpu *slow = &f.row[7];
	double unit = slow->slowdown / log1p(slow->slowdown);
	assert_near(slow->clock_deficit, expm1(0.03), 1e-9);
	assert_near(slow->by_power, 0.01 * unit, 1e-9);
	assert_near(slow->by_clock, 0.02 * unit, 1e-9);
	assert_near(slow->by_power + slow->by_clock + slow->by_neither,
		slow->slowdown, 1e-12);
	assert_true(isnan(f.row[0].by_clock)); /* not slower than the median */

	for (uint32_t u = 0; u < 8; u++)
		f.throttled_pct[u] = NAN;
	fleet_from(&f);
	assert_near(f.row[7].by_clock, 0.03 * unit, 1e-9);
	assert_true(isnan(f.row[7].by_power));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_slow),
		cmocka_unit_test(slow_operators_accuse_nobody),
		cmocka_unit_test(below_the_margin),
		cmocka_unit_test(a_wide_fleet),
		cmocka_unit_test(not_judged),
		cmocka_unit_test(split_by_cause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

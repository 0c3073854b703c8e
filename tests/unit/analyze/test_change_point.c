/* test_change_point.c - tests change points in known levels with random
 * noise. */
#include "change_point.h"
#include "xoshiro.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

enum { MOST = 50000 };

static double normal(struct xoshiro *x)
{
	double u = ((double)(xoshiro_next(x) >> 11) + 0.5) * 0x1p-53;
	double v = ((double)(xoshiro_next(x) >> 11) + 0.5) * 0x1p-53;
	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static uint32_t found(const double *x, const uint32_t *group, uint32_t n,
	struct arena *a, struct change_point **c)
{
	struct change_options o = CHANGE_OPTIONS;
	uint32_t found_n;
	assert_true(change_points_from(x, group, n, &o, a, c, &found_n));
	return found_n;
}

/* Too short, constant, and all zero. */
static void nothing_to_find(void **state)
{
	static const double zeros[40], few[] = { 1, 1, 1, 5, 5 };
	double same[40], rounded[40];
	struct change_point *c;
	struct arena a = { 0 };
	(void)state;

	for (int i = 0; i < 40; i++) {
		same[i] = 3.7;
		rounded[i] = 0.1 + 0.2 + i % 2 * 1e-17;
	}
	assert_int_equal(found(zeros, NULL, 0, &a, &c), 0);
	assert_int_equal(found(zeros, NULL, 1, &a, &c), 0);
	assert_int_equal(found(zeros, NULL, 40, &a, &c), 0);
	assert_int_equal(found(same, NULL, 40, &a, &c), 0);
	assert_int_equal(found(rounded, NULL, 40, &a, &c), 0);
	assert_int_equal(found(few, NULL, 5, &a, &c), 0);
	arena_release(&a);
}

/* 1, 2, 3 and 4 in turn, and ten more from the 20th on: the median changes
 * from 2.5 to 12.5. No other distribution of the values over the two sides
 * gives a cut as good. */
static void a_level(void **state)
{
	double x[40];
	struct change_point *c;
	struct arena a = { 0 };
	(void)state;

	for (int i = 0; i < 40; i++)
		x[i] = 1 + i % 4 + (i < 20 ? 0 : 10);
	assert_int_equal(found(x, NULL, 40, &a, &c), 1);
	assert_int_equal(c[0].at, 20);
	assert_true(c[0].before == 2.5 && c[0].after == 12.5);
	assert_true(c[0].ratio == 5);
	assert_true(c[0].low < 5 && c[0].low > 3.5 && c[0].high > 5 &&
		    c[0].high < 7);
	assert_true(c[0].p == 0.001);
	/* from zero to a value: the ratio is undefined */
	for (int i = 0; i < 40; i++)
		x[i] = i < 20 ? 0 : 3 + i % 4;
	assert_int_equal(found(x, NULL, 40, &a, &c), 1);
	assert_true(c[0].at == 20 && c[0].before == 0 && isnan(c[0].ratio) &&
		    isnan(c[0].low) && isnan(c[0].high));
	arena_release(&a);
}

/* Six zeros, then six ones: of the 12! / (6! 6!) = 924 orders two give a cut
 * as good, this one and its mirror image. */
static void a_chance_that_can_be_counted(void **state)
{
	static const double x[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1 };
	struct change_options o = CHANGE_OPTIONS;
	struct change_point *c;
	struct arena a = { 0 };
	uint32_t n;
	(void)state;

	o.permutations = 99999;
	assert_true(change_points_from(x, NULL, 12, &o, &a, &c, &n));
	assert_int_equal(n, 1);
	assert_int_equal(c[0].at, 6);
	assert_true(fabs(c[0].p - 2.0 / 924) < 0.0006);
	arena_release(&a);
}

/* A change of less than 1 % is not reported, even if it is certain. */
static void a_small_one(void **state)
{
	double x[60];
	struct change_point *c;
	struct arena a = { 0 };
	struct xoshiro r;
	(void)state;

	xoshiro_init(&r, 5);
	for (int i = 0; i < 60; i++)
		x[i] = (i < 30 ? 1 : 1.008) * exp(0.001 * normal(&r));
	assert_int_equal(found(x, NULL, 60, &a, &c), 0);
	for (int i = 30; i < 60; i++)
		x[i] *= 1.008;
	assert_int_equal(found(x, NULL, 60, &a, &c), 1);
	assert_int_equal(c[0].at, 30);
	arena_release(&a);
}

/* A single point that is ten times as high, at any position; two such points
 * together; and a group of three. */
static void lone_ones(void **state)
{
	double x[120];
	uint32_t group[120];
	struct change_point *c;
	struct arena a = { 0 };
	struct xoshiro r;
	(void)state;

	for (int at = 0; at < 120; at += 59) {
		xoshiro_init(&r, 11);
		for (int i = 0; i < 120; i++) {
			x[i] = exp(0.03 * normal(&r));
			group[i] = 7 + (uint32_t)i / 3;
		}
		x[at] *= 10;
		assert_int_equal(found(x, NULL, 120, &a, &c), 0);
		assert_int_equal(found(x, group, 120, &a, &c), 0);
		for (int i = 0; i < 120; i++)
			x[i] *= i / 3 == at / 3 && i != at ? 2 : 1;
		assert_int_equal(found(x, group, 120, &a, &c), 0);
	}
	arena_release(&a);
}

/* Runs of one commit are similar, and commits differ. Nothing changed,
 * although 300 points that are taken as independent suggest a change. */
static void groups_stay_together(void **state)
{
	double x[300];
	uint32_t group[300], alone = 0, together = 0;
	struct change_point *c;
	struct arena a = { 0 };
	struct xoshiro r;
	(void)state;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		double level = 0;
		xoshiro_init(&r, seed);
		for (uint32_t i = 0; i < 300; i++) {
			group[i] = i / 10;
			if (i % 10 == 0)
				level = 0.05 * normal(&r);
			x[i] = exp(level + 0.002 * normal(&r));
		}
		alone += found(x, NULL, 300, &a, &c) > 0;
		together += found(x, group, 300, &a, &c) > 0;
	}
	assert_int_equal(alone, 6);
	assert_true(together <= 1);
	arena_release(&a);
}

/* Fills x with AR(1) noise of 1 % about a level that rises by `step` at every
 * multiple of `every`. */
static void correlated(double *x, uint32_t n, uint32_t every, double step,
	double memory, uint64_t seed)
{
	struct xoshiro r;
	double e;

	xoshiro_init(&r, seed);
	e = normal(&r);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = exp(0.01 * e + i / every * log1p(step));
		e = memory * e + sqrt(1 - memory * memory) * normal(&r);
	}
}

/* 20 series of each row. If p is correct, a series without a change has points
 * in one of a hundred cases; three of 20 are improbable. */
static void neighbors_are_similar(void **state)
{
	static const struct {
		uint32_t n, every;
		double step, memory;
		uint32_t points; /* of each series */
		uint32_t others_max; /* series with another number */
	} rows[] = {
		{ 200, 200, 0, 0, 0, 2 },
		{ 200, 200, 0, 0.3, 0, 2 },
		{ 200, 200, 0, 0.5, 0, 2 },
		{ 200, 100, 0.05, 0.5, 1, 2 },
		{ 600, 600, 0, 0.5, 0, 2 }, /* more than 512 */
		{ 600, 300, 0.05, 0.5, 1, 2 },
	};
	static double x[600];
	struct change_point *c;
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t others = 0;
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct arena a = { 0 };
			correlated(x, rows[i].n, rows[i].every, rows[i].step,
				rows[i].memory, seed);
			others += found(x, NULL, rows[i].n, &a, &c) !=
				  rows[i].points;
			arena_release(&a);
		}
		print_message("row %zu: %u others\n", i, others);
		assert_true(others <= rows[i].others_max);
	}
}

/* Levels in quick succession, far apart in comparison with the noise of 1 %:
 * neighbors are similar only because they have the same level. */
static void levels_are_not_correlation(void **state)
{
	static const uint32_t every[] = { 10, 15, 20, 30 };
	double x[60];
	struct change_point *c;
	(void)state;

	for (size_t i = 0; i < sizeof every / sizeof *every; i++) {
		struct arena a = { 0 };
		correlated(x, 60, every[i], 0.2, 0, 7);
		uint32_t n = found(x, NULL, 60, &a, &c);
		assert_int_equal(n, 60 / every[i] - 1);
		for (uint32_t k = 0; k < n; k++)
			assert_int_equal(c[k].at, every[i] * (k + 1));
		arena_release(&a);
	}
}

/* The variance of the median of many AR(1) values with a coefficient of 0.5 is
 * Σ asin(0.5^|k|) / asin(1) = 3.62 / 1.57 = 2.31 times that of independent
 * values, so the interval is 1.52 times as wide. */
static void correlation_widens_intervals(void **state)
{
	double x[200], width[2] = { 0 };
	struct change_point *c;
	(void)state;

	for (int memory = 0; memory < 2; memory++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct arena a = { 0 };
			correlated(x, 200, 100, 0.1, 0.5 * memory, seed);
			assert_true(found(x, NULL, 200, &a, &c) > 0);
			width[memory] += log(c[0].high / c[0].low) / 20;
			arena_release(&a);
		}
	print_message("width %g, correlated %g\n", width[0], width[1]);
	assert_true(fabs(width[1] / width[0] - 1.52) < 0.2);
}

/* A change that was reverted, at ten heads of a hundred. */
static void there_and_back(void **state)
{
	double x[100];
	struct change_point *c;
	struct arena a = { 0 };
	struct xoshiro r;
	(void)state;

	xoshiro_init(&r, 3);
	for (int i = 0; i < 100; i++)
		x[i] = (i / 10 == 6 ? 1.1 : 1) * exp(0.02 * normal(&r));
	assert_int_equal(found(x, NULL, 100, &a, &c), 2);
	assert_int_equal(c[0].at, 60);
	assert_int_equal(c[1].at, 70);
	arena_release(&a);
}

/* 50,000 points with ten levels: two calls give the same result in a short
 * time. */
static void very_many(void **state)
{
	static double x[MOST];
	struct change_point *c, *again;
	struct arena a = { 0 };
	struct timespec from, to;
	struct xoshiro r;
	(void)state;

	xoshiro_init(&r, 1);
	for (uint32_t i = 0; i < MOST; i++)
		x[i] = exp(0.1 * (i / 5000 % 3) + 0.05 * normal(&r));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	uint32_t n = found(x, NULL, MOST, &a, &c);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	double s = (double)(to.tv_sec - from.tv_sec) +
		   1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	print_message("50,000 points, %u changes: %.2f s\n", n, s);
	assert_int_equal(n, 9);
	for (uint32_t i = 0; i < 9; i++)
		assert_true(fabs(c[i].at - 5000.0 * (i + 1)) <= 10);
	n = found(x, NULL, 12000, &a, &c);
	assert_int_equal(n, 2);
	assert_int_equal(found(x, NULL, 12000, &a, &again), 2);
	assert_memory_equal(c, again, 2 * sizeof *c);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_find),
		cmocka_unit_test(a_level),
		cmocka_unit_test(a_chance_that_can_be_counted),
		cmocka_unit_test(a_small_one),
		cmocka_unit_test(lone_ones),
		cmocka_unit_test(groups_stay_together),
		cmocka_unit_test(neighbors_are_similar),
		cmocka_unit_test(levels_are_not_correlation),
		cmocka_unit_test(correlation_widens_intervals),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(very_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_chance.c - compares selection, shifts, splits and draws with brute
 * force. */
#include "dist.h"
#include "order_stat.h"
#include "permutation_test.h"
#include "t_draw.h"
#include "xoshiro.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void selection_is_sorting(void **state)
{
	double v[40], sorted[40];
	struct xoshiro x;
	(void)state;
	xoshiro_init(&x, 3);
	for (uint32_t n = 1; n <= 40; n++)
		for (uint32_t k = 0; k < n; k++) {
			for (uint32_t i = 0; i < n; i++)
				v[i] = xoshiro_below(&x, 1 + k); /* ties */
			memcpy(sorted, v, sizeof v);
			qsort(sorted, n, sizeof *v, by_value);
			assert_true(order_stat(v, n, k) == sorted[k]);
			double mid = (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
			assert_true(order_stat_median(v, n) == mid);
		}
	assert_true(order_stat_median(v, 0) == 0);
}

/* There are 252 ways to choose 5 of 10; each occurs exactly once. */
static void every_split_once(void **state)
{
	struct arena a = { 0 };
	struct blocks b = { .base_n = 5, .head_n = 5, .widen = 1 };
	struct permutation_splits s;
	static bool seen[1 << 10];
	(void)state;
	assert_int_equal(permutation_test_ways(10, 5), 252);
	assert_int_equal(permutation_test_ways(80, 40), UINT32_MAX);
	assert_true(permutation_test_splits(&b, 252, true, 1, &a, &s));
	assert_true(s.exact && s.n == 252 && s.chosen == 5);
	for (uint32_t i = 0; i < s.n; i++) {
		uint32_t set = 0;
		for (uint32_t k = 0; k < 5; k++)
			set |= 1U << s.sets[i * 5 + k];
		assert_int_equal(__builtin_popcount(set), 5);
		assert_false(seen[set]);
		seen[set] = true;
	}
	assert_true(permutation_test_splits(&b, 251, true, 1, &a, &s));
	assert_true(!s.exact && s.n == 251);
	arena_release(&a);
}

/* Ten values per side: tables of U reject 23 and less at 5 %, so the interval
 * runs from the 24th lowest to the 24th highest of 100 differences. */
static void a_shift(void **state)
{
	static double pairs[ORDER_SHIFT_PAIRS], all[100];
	double base[10], head[10];
	(void)state;
	for (int i = 0; i < 10; i++) {
		base[9 - i] = i;
		head[i] = i + 5.25;
		for (int k = 0; k < 10; k++)
			all[i * 10 + k] = k + 5.25 - i;
	}
	qsort(all, 100, sizeof *all, by_value);
	struct order_shift s = order_stat_shift(base, 10, head, 10, pairs);
	assert_true(s.at == 5.25);
	assert_true(s.at - s.below == all[23]);
	assert_true(s.at + s.above == all[76]);
	s = order_stat_shift(base, 3, head, 10, pairs);
	assert_true(isnan(s.below) && isnan(s.above));
}

/* 100,000 draws: the share beyond a value matches the distribution. */
static void draws_of_t(void **state)
{
	static const double dfs[] = { 1, 4, 7.9, INFINITY };
	static const double tails[] = { 0.5, 0.05, 0.001 };
	static struct t_draw t;
	enum { N = 100000 };
	(void)state;
	for (int d = 0; d < 4; d++) {
		struct xoshiro x;
		xoshiro_init(&x, 5);
		t_draw_init(&t, t_draw_df(dfs[d]));
		uint32_t beyond[3] = { 0 }, above = 0;
		double df = d == 2 ? 6 : dfs[d];
		for (int i = 0; i < N; i++) {
			double v = t_draw_next(&t,
				(uint32_t)(xoshiro_next(&x) >> 32));
			above += v > 0;
			for (int k = 0; k < 3; k++)
				beyond[k] += dist_t_p(v, df) < tails[k];
		}
		double n = N;
		assert_true(fabs(above - n / 2) < 4 * sqrt(n / 4));
		for (int k = 0; k < 3; k++)
			assert_true(fabs(beyond[k] - n * tails[k]) <
				    5 * sqrt(n * tails[k]) + 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selection_is_sorting),
		cmocka_unit_test(every_split_once),
		cmocka_unit_test(a_shift),
		cmocka_unit_test(draws_of_t),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

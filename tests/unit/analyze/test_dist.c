/* test_dist.c - compares probabilities with closed forms, brute force and
 * Rmath. */
#include "dist.h"
#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void near_to(const char *what, double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%s: %.15g, not %.15g", what, got, want);
}

/* df 1: 1 - 2/π·atan t. df 2: 1 - t/√(2 + t²). */
static void t_equals_closed_forms(void **state)
{
	(void)state;
	for (double t = 0; t < 40; t = t * 1.5 + 0.1) {
		near_to("df 1", dist_t_p(t, 1), 1 - 2 / M_PI * atan(t), 1e-12);
		near_to("df 2", dist_t_p(-t, 2), 1 - t / sqrt(2 + t * t),
			1e-12);
		near_to("many", dist_t_p(t, 1e12), dist_t_p(t, INFINITY), 1e-9);
	}
	near_to("1.96", dist_t_p(1.959963984540054, INFINITY), 0.05, 1e-15);
	near_to("t table", dist_t_quantile(0.975, 4), 2.776445105, 1e-8);
	for (double p = 0.001; p < 0.5; p += 0.0499)
		for (double df = 1; df < 1e5; df *= 3)
			near_to("back again",
				dist_t_p(dist_t_quantile(p, df), df), 2 * p,
				1e-10);
}

/* F with 1 and d degrees of freedom is the square of t; with 2 and d it is above f
 * with the probability (1 + 2 f / d)^(-d / 2). */
static void f_equals_closed_forms(void **state)
{
	static const double fs[] = { 0.01, 0.5, 1, 2.5, 7, 40 },
			    dfs[] = { 1, 3, 8, 60, 200 };

	(void)state;
	for (size_t i = 0; i < sizeof fs / sizeof *fs; i++)
		for (size_t k = 0; k < sizeof dfs / sizeof *dfs; k++) {
			double f = fs[i], d = dfs[k];
			near_to("of 1", dist_f_p(f, 1, d), dist_t_p(sqrt(f), d),
				1e-12);
			near_to("of 2", dist_f_p(f, 2, d),
				pow(1 + 2 * f / d, -d / 2), 1e-12);
			near_to("inverse", dist_f_p(f, 5, d),
				1 - dist_f_p(1 / f, d, 5), 1e-12);
		}
	assert_true(dist_f_p(0, 3, 3) == 1 && dist_f_p(-1, 3, 3) == 1);
	assert_true(dist_f_p(INFINITY, 3, 3) == 0);
	assert_true(isnan(dist_f_p(NAN, 3, 3)) && isnan(dist_f_p(1, 0, 3)));
	assert_true(isnan(dist_f_p(1, 3, INFINITY)));
}

static void odd_arguments_of_t(void **state)
{
	(void)state;
	assert_true(isnan(dist_t_p(NAN, 3)));
	assert_true(isnan(dist_t_p(1, NAN)));
	assert_true(isnan(dist_t_p(1, 0)));
	assert_true(isnan(dist_t_p(1, -1)));
	assert_true(dist_t_p(INFINITY, 3) == 0);
	assert_true(dist_t_p(-INFINITY, INFINITY) == 0);
	assert_true(dist_t_p(0, 3) == 1);
	assert_true(isnan(dist_t_quantile(0, 4)));
	assert_true(isnan(dist_t_quantile(1, 4)));
	assert_true(isnan(dist_t_quantile(NAN, 4)));
	assert_true(isnan(dist_t_quantile(0.5, 0.5)));
}

/* Counts the ways to assign n of n + m ranks to x whose U is at least as
 * extreme. */
static double by_counting(uint32_t n, uint32_t m, uint32_t chosen)
{
	uint32_t ways = 0, as_far = 0;
	int mine = -1;
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t set = 0; set < 1u << (n + m); set++) {
			int u = 0, before = 0;
			if (__builtin_popcount(set) != (int)n)
				continue;
			for (uint32_t i = 0; i < n + m; i++)
				if (set >> i & 1)
					u += (int)i - before++;
			int off = abs(2 * u - (int)(n * m));
			if (!pass && set == chosen)
				mine = off;
			ways += (uint32_t)pass;
			as_far += pass && off >= mine;
		}
	return (double)as_far / ways;
}

static void rank_sum_equals_counting(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (uint32_t n = 1; n <= 4; n++)
		for (uint32_t m = 1; m <= 4; m++)
			for (uint32_t set = 0; set < 1u << (n + m); set++) {
				double x[8], y[8];
				uint32_t in = 0, out = 0;
				if (__builtin_popcount(set) != (int)n)
					continue;
				for (uint32_t i = 0; i < n + m; i++)
					if (set >> i & 1)
						x[in++] = i * 0.7;
					else
						y[out++] = i * 0.7;
				near_to("counted",
					dist_rank_sum_p(x, n, y, m, &a),
					by_counting(n, m, set), 1e-12);
			}
	arena_release(&a);
}

/* x has the ranks 1 to n - 1 and one rank above `below` of y's. */
static void rank_sum_equals_rmath(void **state)
{
	struct arena a = { 0 };
	double x[8], y[200];
	(void)state;
	for (uint32_t n = 1; n <= 8; n++)
		for (uint32_t m = 9; m <= 200; m += 63)
			for (uint32_t below = 0; below <= m; below += 5) {
				for (uint32_t i = 0; i < n; i++)
					x[i] = i;
				x[n - 1] += below;
				for (uint32_t i = 0; i < m; i++)
					y[i] = n - 1 + i +
					       (i >= below ? 0.5 : -0.5);
				double u = below;
				u = fmin(u, (double)n * m - u);
				near_to("pwilcox",
					dist_rank_sum_p(x, n, y, m, &a),
					fmin(1, 2 * pwilcox(u, n, m, 1, 0)),
					1e-12);
			}
	wilcox_free();
	arena_release(&a);
}

static void rank_sum_in_its_normal_form(void **state)
{
	struct arena a = { 0 };
	double x[] = { 1, 2, 2 }, y[] = { 2, 3 }, same[] = { 5, 5, 5 };
	(void)state;
	/* Ranks 1, 3, 3 | 3, 5: U = 7 - 6 = 1, mean 3, one group of three:
	 * var = 6/12 · (6 - 24/20) = 2.4, z = (3 - 1 - 0.5)/√2.4. */
	near_to("ties", dist_rank_sum_p(x, 3, y, 2, &a),
		erfc(1.5 / sqrt(2.4) / M_SQRT2), 1e-14);
	near_to("the other way", dist_rank_sum_p(y, 2, x, 3, &a),
		erfc(1.5 / sqrt(2.4) / M_SQRT2), 1e-14);
	assert_true(dist_rank_sum_p(same, 3, same, 3, &a) == 1);
	/* Nine per side, all of x below: U = 0, mean 40.5, var = 81·19/12. */
	double low[9], high[9];
	for (int i = 0; i < 9; i++)
		low[i] = i, high[i] = 100 + i;
	near_to("nine", dist_rank_sum_p(low, 9, high, 9, &a),
		erfc(40 / sqrt(81 * 19 / 12.0) / M_SQRT2), 1e-15);
	arena_release(&a);
}

static void odd_arguments_of_rank_sum(void **state)
{
	enum { MANY = 300000 };
	struct arena a = { 0 }, tiny = { .ceiling = 1 };
	double x[] = { 1, NAN }, y[] = { 2, 3 };
	double *many = calloc(MANY, sizeof *many);
	(void)state;
	assert_true(dist_rank_sum_p(x, 0, y, 2, &a) == 1);
	assert_true(dist_rank_sum_p(y, 2, x, 0, &a) == 1);
	assert_true(isnan(dist_rank_sum_p(x, 2, y, 2, &a)));
	assert_true(isnan(dist_rank_sum_p(y, 2, x, 2, &a)));
	assert_true(isnan(dist_rank_sum_p(y, 2, y, 2, &tiny)));
	assert_true(tiny.full);
	/* In the middle of so many values, exact counting takes too long. The
	 * normal approximation is 1, and so is the exact probability. */
	for (int i = 0; i < MANY; i++)
		many[i] = i;
	double middle[8];
	for (int i = 0; i < 8; i++)
		middle[i] = MANY / 2 - 4 + i + 0.5;
	near_to("middle of many", dist_rank_sum_p(middle, 8, many, MANY, &a), 1,
		1e-3);
	free(many);
	arena_release(&tiny);
	arena_release(&a);
}

/* By hand: the variance of 1, 2, 3, 0, 0 is (0.04 + 0.64 + 3.24 + 2 * 1.44) / 4. */
static void the_error_of_a_mean(void **state)
{
	static const double x[] = { 1, 2, 3 };
	(void)state;
	struct dist_mean m = dist_mean_from(x, 3, 2);
	near_to("mean", m.mean, 1.2, 1e-12);
	near_to("error", m.error, sqrt(1.7 / 5), 1e-12);
	m = dist_mean_from(x + 1, 1, 0);
	near_to("mean of one", m.mean, 2, 1e-12);
	assert_true(isnan(m.error));
	m = dist_mean_from(NULL, 0, 3);
	assert_true(m.mean == 0 && m.error == 0);
	assert_true(isnan(dist_mean_from(NULL, 0, 0).mean));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_equals_closed_forms),
		cmocka_unit_test(f_equals_closed_forms),
		cmocka_unit_test(odd_arguments_of_t),
		cmocka_unit_test(the_error_of_a_mean),
		cmocka_unit_test(rank_sum_equals_counting),
		cmocka_unit_test(rank_sum_equals_rmath),
		cmocka_unit_test(rank_sum_in_its_normal_form),
		cmocka_unit_test(odd_arguments_of_rank_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

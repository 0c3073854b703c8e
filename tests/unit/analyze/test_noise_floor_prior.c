/* test_noise_floor_prior.c - tests the prior of a variance with samples whose
 * moments are exact, and with random variances of a known prior. */
#include "noise_floor.h"
#include "dist.h"
#include "xoshiro.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { N = 1000 };

static void near_to(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.12g, not %.12g", got, want);
}

/* ψ'(1/2) = π²/2, ψ'(1) = π²/6, ψ(1/2) = -γ - 2 log 2, ψ(1) = -γ. */
static void closed_forms(void **state)
{
	const double gamma = 0.57721566490153286;
	(void)state;
	near_to(dist_trigamma(0.5), M_PI * M_PI / 2, 1e-13);
	near_to(dist_trigamma(1), M_PI * M_PI / 6, 1e-14);
	near_to(dist_digamma(0.5), -gamma - 2 * M_LN2, 1e-14);
	near_to(dist_digamma(1), -gamma, 1e-14);
	assert_true(isnan(dist_digamma(0)) && isnan(dist_trigamma(-1)));
}

/* Half of the variances are e^h, half e^-h, each with two degrees of freedom and
 * of a cluster of its own. The variance of the logarithms is h² n / (n - 1), from
 * which ψ'(1) = π²/6 is subtracted for chance. If the rest is π²/2, d0 is 1. The
 * mean of the logarithms is 0, and that of log(χ²(2) / 2) is ψ(1): e = γ. */
static void exact_moments(void **state)
{
	struct noise_sample x[N];
	struct noise_fit p;
	struct arena a = { 0 };
	(void)state;
	double h = sqrt((M_PI * M_PI / 2 + M_PI * M_PI / 6) * (N - 1) / N);
	for (uint32_t i = 0; i < N; i++)
		x[i] = (struct noise_sample){ exp(i % 2 ? h : -h), 2, i };
	assert_true(noise_floor_fit(x, N, &a, &p));
	assert_int_equal(p.used, N);
	near_to(p.spread_df, 1, 1e-9);
	/* V is ψ'(1) / n, which is 2 / d0 - 1 for large d0, nearly: ψ'(d0/2)
	 * = 2 / d0 + 2 / d0². */
	double v = M_PI * M_PI / 6 / N;
	near_to(v, 2 / p.most_df + 2 / p.most_df / p.most_df, 1e-8);
	/* With V the prior has less than one degree of freedom, which is the
	 * least that it may have. */
	near_to(p.df, 1, 0);
	near_to(log(p.variance),
		0.57721566490153286 - (0.57721566490153286 + M_LN2), 1e-9);
	arena_release(&a);
}

/* Variances that do not differ. In one cluster they are no better known than one
 * of them, in N clusters than their mean. */
static void all_equal(void **state)
{
	struct noise_sample x[N];
	struct noise_fit p;
	struct arena a = { 0 };
	(void)state;
	for (uint32_t i = 0; i < N; i++)
		x[i] = (struct noise_sample){ 0.0004, 5, 0 };
	assert_true(noise_floor_fit(x, N, &a, &p));
	assert_true(isinf(p.spread_df));
	near_to(p.most_df, 5, 1e-9);
	near_to(p.df, 5, 1e-9);
	near_to(p.variance, 0.0004, 1e-12);
	/* Two clusters of equal size: ψ'(d/2) = ψ'(1) / 2. */
	for (uint32_t i = 0; i < N; i++)
		x[i] = (struct noise_sample){ 0.0004, 2, i % 2 };
	assert_true(noise_floor_fit(x, N, &a, &p));
	near_to(dist_trigamma(p.df / 2), M_PI * M_PI / 12, 1e-9);
	arena_release(&a);
}

static double chi_square(struct xoshiro *r, uint32_t df)
{
	double sum = 0;
	for (uint32_t k = 0; k < df; k++) {
		double u = (xoshiro_below(r, UINT32_MAX) + 0.5) / UINT32_MAX,
		       v = (xoshiro_below(r, UINT32_MAX) + 0.5) / UINT32_MAX;
		double z = sqrt(-2 * log(u)) * cos(2 * M_PI * v);
		sum += z * z;
	}
	return sum;
}

/* True variances with s0² = 0.0001 and d0 = 6, each estimated from four degrees
 * of freedom. A fifth of the estimates are 0, as of times that were rounded. */
static void random_variances(void **state)
{
	struct noise_sample x[N];
	struct noise_fit p;
	struct arena a = { 0 };
	struct xoshiro r;
	uint32_t zeros = 0;
	(void)state;
	xoshiro_init(&r, 7);
	for (uint32_t i = 0; i < N; i++) {
		double is = 6 * 0.0001 / chi_square(&r, 6);
		x[i] = (struct noise_sample){ is * chi_square(&r, 4) / 4, 4,
			i };
		if (i % 5 == 0)
			x[i].variance = 0, zeros++;
	}
	assert_true(noise_floor_fit(x, N, &a, &p));
	assert_int_equal(p.used, N - zeros);
	/* Standard errors: about 0.9 of d0, and 5 % of s0². */
	near_to(p.spread_df, 6, 2.5);
	near_to(p.variance, 0.0001, 0.000015);
	arena_release(&a);
}

static void nothing_to_learn(void **state)
{
	struct noise_sample x[N] = { { 0 } };
	struct noise_fit p;
	struct arena a = { 0 };
	(void)state;
	assert_false(noise_floor_fit(x, 0, &a, &p));
	assert_false(noise_floor_fit(x, N, &a, &p)); /* no df */
	for (uint32_t i = 0; i < N; i++)
		x[i] = (struct noise_sample){ 0, 3, 0 };
	assert_false(noise_floor_fit(x, N, &a, &p)); /* all 0 */
	for (uint32_t i = 0; i < N / 2 - 1; i++)
		x[i].variance = 1e-4;
	assert_false(noise_floor_fit(x, N, &a, &p)); /* most are 0 */
	x[0].variance = NAN;
	x[1].variance = INFINITY;
	x[2].df = NAN;
	assert_false(noise_floor_fit(x, NOISE_FLOOR_FIT_MIN + 2, &a, &p));
	assert_true(noise_floor_fit(x, NOISE_FLOOR_FIT_MIN + 3, &a, &p));
	assert_int_equal(p.used, NOISE_FLOOR_FIT_MIN);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_forms),
		cmocka_unit_test(exact_moments),
		cmocka_unit_test(all_equal),
		cmocka_unit_test(random_variances),
		cmocka_unit_test(nothing_to_learn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

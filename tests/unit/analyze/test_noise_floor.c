/* test_noise_floor.c - tests the noise floor of a function: computed from
 * repeats, and the default without repeats. */
#include "noise_floor.h"
#include "dist.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void floors(void **state)
{
	/* Logs of group 1: 0, 0.1, 0.2: half the squared differences are
	 * 0.005 with a weight of 1.6. Group 2 has one run with "gemm", group
	 * 3 none. */
	struct repeat_mean a[] = { { "gemm", 1 }, { "norm", 5 } };
	struct repeat_mean b[] = { { "gemm", exp(0.1) }, { "zero", 0 } };
	struct repeat_mean c[] = { { "gemm", exp(0.2) } };
	struct repeat_run runs[] = { { 1, 1, 0, false, NULL, a, 2, NULL },
		{ 2, 2, 0, false, NULL, a, 2, NULL },
		{ 3, 1, 0, false, NULL, b, 2, NULL },
		{ 4, 3, 0, false, NULL, NULL, 0, NULL },
		{ 5, 1, 0, false, NULL, c, 1, NULL } };
	struct repeats r = { runs, 5, NULL };
	struct noise_floor f = noise_floor_learned(&r, "gemm", -1);
	(void)state;
	assert_int_equal(f.from, FLOOR_LEARNED);
	assert_true(fabs(f.df - 5.6) < 1e-12);
	assert_true(
		fabs(f.sd - sqrt((1.6 * 0.005 + 4 * 0.0009) / 5.6)) < 1e-12);
	const char *untold[] = { "norm", "zero", "other" };
	for (int i = 0; i < 3; i++) {
		f = noise_floor_learned(&r, untold[i], -1);
		assert_int_equal(f.from, FLOOR_DEFAULT);
		assert_true(f.df == 4 && f.sd == 0.03);
	}
	assert_int_equal(noise_floor_learned(NULL, "gemm", -1).from,
		FLOOR_DEFAULT);
	f = noise_floor_learned(&r, "gemm", 0);
	assert_int_equal(f.from, FLOOR_GIVEN);
	assert_true(f.sd == 0 && isinf(f.df));
}

/* Eight runs vary by 1 %, and the last four are 30 % slower. They are given in
 * any order. The floor must be the variation of 1 %. */
static void a_lasting_change(void **state)
{
	static const int order[] = { 3, 0, 7, 4, 1, 6, 2, 5 };
	struct repeat_mean means[8];
	struct repeat_run runs[8];
	struct repeats r = { runs, 8, NULL };
	(void)state;
	for (int i = 0; i < 8; i++) {
		int at = order[i];
		means[i] = (struct repeat_mean){ "gemm",
			exp(0.01 * (at % 2) + (at < 4 ? 0 : 0.3)) };
		runs[i] = (struct repeat_run){ at + 1, 1, 0, false, NULL,
			&means[i], 1, NULL };
	}
	struct noise_floor f = noise_floor_learned(&r, "gemm", -1);
	/* Six of 0.01, and one that counts with at most 6.25 times the fifth
	 * of seven: 4.625 of 7.25 normal deviations are within it. */
	double half = 0.01 * 0.01 / 2;
	double z = dist_t_quantile((1 + 4.625 / 7.25) / 2, INFINITY);
	double s2 = (6 * half + 6.25 * half / (z * z)) / 7 / 0.9775;
	assert_true(fabs(f.df - 8.48) < 1e-9);
	assert_true(fabs(f.sd - sqrt((4.48 * s2 + 4 * 0.0009) / 8.48)) < 1e-9);
}

enum { FUNCTIONS = 10 };

/* Two runs of the compared kind, in which each function is longer by `own`, and
 * two of another workload, longer by `other`. */
struct ensemble {
	struct repeat_mean means[4][FUNCTIONS];
	struct repeat_run runs[4];
	struct repeats r;
	struct noise_prior prior;
};

static void ensemble_from(struct ensemble *m, double own, double other,
	struct arena *a)
{
	static const char *const names[FUNCTIONS] = { "a", "b", "c", "d", "e",
		"f", "g", "h", "i", "j" };
	for (uint32_t i = 0; i < 4; i++) {
		double longer = i % 2 ? i < 2 ? own : other : 0;
		for (uint32_t k = 0; k < FUNCTIONS; k++)
			m->means[i][k] = (struct repeat_mean){ names[k],
				1000 * exp(longer) };
		m->runs[i] = (struct repeat_run){ i + 1, i / 2, i / 2, i > 1,
			NULL, m->means[i], FUNCTIONS, NULL };
	}
	m->r = (struct repeats){ m->runs, 4, &m->prior };
	m->prior = noise_floor_prior(&m->r, a);
}

/* All functions differ by the same, so the runs are no more evidence than one
 * function: ψ'(d/2) = ψ'(1/2) / 2 for the mean of two groups of one degree of
 * freedom. */
static void a_prior_of_functions_and_workloads(void **state)
{
	struct arena a = { 0 };
	struct ensemble m;
	(void)state;
	ensemble_from(&m, 0.01, 0.01, &a);
	assert_int_equal(m.prior.from, FLOOR_LEARNED);
	assert_int_equal(m.prior.variances, 2 * FUNCTIONS);
	assert_int_equal(m.prior.runs_n, 4);
	assert_int_equal(m.prior.runs[3], 4);
	double df = m.prior.df;
	assert_true(fabs(dist_trigamma(df / 2) - M_PI * M_PI / 4) < 1e-9);
	/* Each s² is 0.01² / 2. With one degree of freedom, the logarithm of
	 * χ² has the mean -γ - log 2 (ψ(1/2) + log 2). */
	double want = log(0.00005) + 0.57721566490153286 + M_LN2 +
		      dist_digamma(df / 2) - log(df / 2);
	assert_true(fabs(2 * log(m.prior.sd) - want) < 1e-9);
	/* A function without repeats has the prior; one of the compared kind
	 * adds one degree of freedom, but no more than the runs have. */
	struct noise_floor f = noise_floor_learned(&m.r, "new", -1);
	assert_int_equal(f.from, FLOOR_LEARNED);
	assert_true(f.sd == m.prior.sd && f.df == df);
	f = noise_floor_learned(&m.r, "a", -1);
	assert_true(fabs(f.df - m.prior.most_df) < 1e-9);
	assert_true(fabs(f.sd - sqrt((df * m.prior.sd * m.prior.sd + 0.00005) /
					(df + 1))) < 1e-12);
	f = noise_floor_learned(&m.r, "a", 0.2);
	assert_true(f.from == FLOOR_GIVEN && f.sd == 0.2);
	arena_release(&a);
}

/* Runs that are copies teach nothing about noise, nor do too few functions. */
static void a_default_prior(void **state)
{
	struct arena a = { 0 };
	struct ensemble m;
	(void)state;
	ensemble_from(&m, 0, 0, &a);
	assert_int_equal(m.prior.from, FLOOR_DEFAULT);
	assert_true(m.prior.sd == 0.03 && m.prior.df == 4);
	assert_int_equal(m.prior.runs_n, 4);
	/* The function's own repeats still count. */
	assert_true(noise_floor_learned(&m.r, "a", -1).df == 5);
	ensemble_from(&m, 0.01, 0.02, &a);
	for (uint32_t i = 0; i < 4; i++)
		m.runs[i].means_n = 3;
	m.prior = noise_floor_prior(&m.r, &a);
	assert_int_equal(m.prior.from, FLOOR_DEFAULT);
	m.prior = noise_floor_prior(NULL, &a);
	assert_true(m.prior.from == FLOOR_DEFAULT && m.prior.runs_n == 0);
	arena_release(&a);
}

/* Another workload that is noisier makes the prior wider, but is no repeat. */
static void a_noisy_workload(void **state)
{
	struct arena a = { 0 };
	struct ensemble calm, noisy;
	(void)state;
	ensemble_from(&calm, 0.01, 0.01, &a);
	ensemble_from(&noisy, 0.01, 0.5, &a);
	assert_true(noise_floor_learned(&noisy.r, "new", -1).df <
		    noise_floor_learned(&calm.r, "new", -1).df);
	noisy.r.prior = calm.r.prior = NULL;
	assert_true(noise_floor_learned(&noisy.r, "a", -1).sd ==
		    noise_floor_learned(&calm.r, "a", -1).sd);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(floors),
		cmocka_unit_test(a_lasting_change),
		cmocka_unit_test(a_prior_of_functions_and_workloads),
		cmocka_unit_test(a_default_prior),
		cmocka_unit_test(a_noisy_workload) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

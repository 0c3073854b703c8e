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
	struct repeat_run runs[] = { { 1, 1, NULL, a, 2 }, { 2, 2, NULL, a, 2 },
		{ 3, 1, NULL, b, 2 }, { 4, 3, NULL, NULL, 0 },
		{ 5, 1, NULL, c, 1 } };
	struct repeats r = { runs, 5 };
	struct noise_floor f = noise_floor_of(&r, "gemm", -1);
	(void)state;
	assert_int_equal(f.from, FLOOR_LEARNED);
	assert_true(fabs(f.df - 5.6) < 1e-12);
	assert_true(
		fabs(f.sd - sqrt((1.6 * 0.005 + 4 * 0.0009) / 5.6)) < 1e-12);
	const char *untold[] = { "norm", "zero", "other" };
	for (int i = 0; i < 3; i++) {
		f = noise_floor_of(&r, untold[i], -1);
		assert_int_equal(f.from, FLOOR_DEFAULT);
		assert_true(f.df == 4 && f.sd == 0.03);
	}
	assert_int_equal(noise_floor_of(NULL, "gemm", -1).from, FLOOR_DEFAULT);
	f = noise_floor_of(&r, "gemm", 0);
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
	struct repeats r = { runs, 8 };
	(void)state;
	for (int i = 0; i < 8; i++) {
		int at = order[i];
		means[i] = (struct repeat_mean){ "gemm",
			exp(0.01 * (at % 2) + (at < 4 ? 0 : 0.3)) };
		runs[i] = (struct repeat_run){ at + 1, 1, NULL, &means[i], 1 };
	}
	struct noise_floor f = noise_floor_of(&r, "gemm", -1);
	/* Six of 0.01, and one that counts with at most 6.25 times the fifth
	 * of seven: 4.625 of 7.25 normal deviations are within it. */
	double half = 0.01 * 0.01 / 2;
	double z = dist_t_quantile((1 + 4.625 / 7.25) / 2, INFINITY);
	double s2 = (6 * half + 6.25 * half / (z * z)) / 7 / 0.9775;
	assert_true(fabs(f.df - 8.48) < 1e-9);
	assert_true(fabs(f.sd - sqrt((4.48 * s2 + 4 * 0.0009) / 8.48)) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(floors),
		cmocka_unit_test(a_lasting_change) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

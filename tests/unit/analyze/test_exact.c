/* test_exact.c - tests rounding at exact halves, and values beyond 128 bits. */
#include "exact.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void tenths(void **state)
{
	static const struct {
		int64_t num, den, tenths;
	} rows[] = {
		{ 0, 1, 0 },
		{ 1, 20, 1 }, /* 0.05, half away from zero */
		{ 49999, 1000000, 0 }, /* 0.049999 */
		{ 3, 20, 2 }, /* 0.15; the nearest double is below it */
		{ 1, 3, 3 },
		{ 2, 3, 7 },
		{ 335987431, 2, 1679937155 }, /* 167,993,715.5 */
		{ INT64_C(1) << 53, 1, (INT64_C(1) << 53) * 10 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(exact_tenths((wide_t)rows[i].num,
					 (wide_t)rows[i].den),
			rows[i].tenths);
}

static int64_t sd(const int64_t *v, uint32_t n)
{
	int64_t sum = 0;
	wide_t squares = 0;
	for (uint32_t i = 0; i < n; i++) {
		sum += v[i];
		squares += (wide_t)v[i] * (wide_t)v[i];
	}
	return exact_sd_tenths(n, sum, squares);
}

static void deviation(void **state)
{
	(void)state;
	assert_int_equal(sd((int64_t[]){ 5 }, 1), 0);
	assert_int_equal(sd((int64_t[]){ 5, 5, 5 }, 3), 0);
	/* figures from nsys: 330,043,785 / sqrt(2) = 233,376,198.5… */
	assert_int_equal(sd((int64_t[]){ 2971823, 333015608 }, 2), 2333761985);
	/* 1, 2, 3, 4: sum of squares about the mean 5, / 3 = 1.667, sd 1.29 */
	assert_int_equal(sd((int64_t[]){ 1, 2, 3, 4 }, 4), 13);
	/* 0, 0, 0, 1: 0.75 / 3 = 0.25, sd 0.5 exactly */
	assert_int_equal(sd((int64_t[]){ 0, 0, 0, 1 }, 4), 5);
	/* n numbers, one of them x and the others 0, have the variance x^2 /
	 * n. 400 of them with x = 1 give 0.05 exactly, which rounds to 0.1;
	 * 401 give 0.0499, which rounds to 0. */
	assert_int_equal(exact_sd_tenths(400, 1, 1), 1);
	assert_int_equal(exact_sd_tenths(401, 1, 1), 0);
}

/* One x = 2^53 among n = 2^32 - 1 zeros: n * x^2 has 138 bits. The variance is
 * x^2 / n, so sd = 2^53 / sqrt(2^32 - 1), a little over 2^37: in tenths
 * 10 * 2^37 * (1 + 2^-33) = 1374389534720 + 160. */
static void more_than_128_bits(void **state)
{
	int64_t x = INT64_C(1) << 53;
	(void)state;
	assert_int_equal(exact_sd_tenths(UINT32_MAX, x, (wide_t)x * (wide_t)x),
		INT64_C(1374389534880));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tenths),
		cmocka_unit_test(deviation),
		cmocka_unit_test(more_than_128_bits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

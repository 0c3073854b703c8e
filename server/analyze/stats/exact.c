/* exact.c - rounds by integer arithmetic, with 256 bits where 128 are not
 * enough. */
#include "exact.h"
#include <math.h>
#include <stdbool.h>

int64_t exact_tenths(wide_t num, wide_t den)
{
	return (int64_t)((20 * num + den) / (2 * den));
}

/* 256 bits, the least significant 64 first. */
struct wider {
	uint64_t w[4];
};

static struct wider exact_product(wide_t a, wide_t b)
{
	uint64_t x[2] = { (uint64_t)a, (uint64_t)(a >> 64) };
	uint64_t y[2] = { (uint64_t)b, (uint64_t)(b >> 64) };
	struct wider r = { 0 };

	for (int i = 0; i < 2; i++) {
		uint64_t carry = 0;
		for (int j = 0; j < 2; j++) {
			wide_t sum = (wide_t)x[i] * y[j] + r.w[i + j] + carry;
			r.w[i + j] = (uint64_t)sum;
			carry = (uint64_t)(sum >> 64);
		}
		r.w[i + 2] = carry;
	}
	return r;
}

/* a - b, where a >= b. */
static struct wider exact_difference(struct wider a, struct wider b)
{
	bool borrow = false;
	for (int i = 0; i < 4; i++) {
		uint64_t less = b.w[i] + borrow;
		bool wrapped = borrow && less == 0;
		borrow = wrapped || a.w[i] < less;
		a.w[i] -= less;
	}
	return a;
}

static bool exact_at_most(struct wider a, struct wider b)
{
	for (int i = 3; i >= 0; i--)
		if (a.w[i] != b.w[i])
			return a.w[i] < b.w[i];
	return true;
}

static long double exact_approximately(struct wider a)
{
	long double r = 0;
	for (int i = 3; i >= 0; i--)
		r = r * 0x1p64L + (long double)a.w[i];
	return r;
}

/* s^2 = (n*squares - sum^2) / (n*(n-1)), so 10*s rounds to the greatest k with
 * (2k-1)^2 * n*(n-1) <= 400 * (n*squares - sum^2). The square root is only the
 * start of the search for k. */
int64_t exact_sd_tenths(uint32_t n, int64_t sum, wide_t squares)
{
	if (n < 2)
		return 0;
	wide_t sum20 = (wide_t)sum * 20;
	struct wider spread =
		exact_difference(exact_product((wide_t)n * 400, squares),
			exact_product(sum20, sum20));
	wide_t pairs = (wide_t)n * (n - 1);

	long double guess =
		sqrtl(exact_approximately(spread) / (long double)pairs) / 2;
	uint64_t k = (uint64_t)(guess + 0.5L);
	while (k > 0) {
		wide_t odd = 2 * (wide_t)k - 1;
		if (exact_at_most(exact_product(odd * odd, pairs), spread))
			break;
		k--;
	}
	for (;; k++) {
		wide_t odd = 2 * (wide_t)k + 1;
		if (!exact_at_most(exact_product(odd * odd, pairs), spread))
			return (int64_t)k;
	}
}

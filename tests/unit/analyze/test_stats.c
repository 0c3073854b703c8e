/* test_stats.c - tests the statistics of one duration, of a few, and of
 * many. */
#include "stats.h"
#include "interval.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct row {
	const char *odd;
	uint32_t n;
	int64_t ns[12];
	struct time_stats want;
} rows[] = {
	{ "one", 1, { 7 }, { 1, 7, 7, 7, 7, 7, 0, 7, 7, 0 } },
	{ "nsys' two", 2, { 333015608, 2971823 },
		/* p90 = 2971823 + 0.9 * 330043785 = 300011229.5
		 * p99 = 2971823 + 0.99 * 330043785 = 329715170.15 → .2
		 * IQR = 0.75 * 330043785 - 0.25 * 330043785 = 165021892.5 */
		{ 2, 335987431, 167993715.5, 167993715.5, 2971823, 333015608,
			233376198.5, 300011229.5, 329715170.2, 165021892.5 } },
	{ "three, the middle one counts", 3, { 9, 1, 2 },
		/* sd: mean 4, (25 + 9 + 4) / 2 = 19, 4.36; p90 = 2 + 0.8 * 7 =
		 * 7.6; p99 = 2 + 0.98 * 7 = 8.86 → 8.9; quartiles at 0.5 and
		 * 1.5: 5.5 - 1.5 = 4 */
		{ 3, 12, 4, 2, 1, 9, 4.4, 7.6, 8.9, 4 } },
	{ "zeros", 2, { 0, 0 }, { 2, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ "eleven, so that p90 is one of them", 11,
		{ 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 },
		/* sd² = 110 / 10 = 11, 3.317; p99 = 10 + 0.9 = 10.9; IQR =
		 * 8.5 - 3.5 */
		{ 11, 66, 6, 6, 1, 11, 3.3, 10, 10.9, 5 } },
	{ "a mean of a third", 3, { 1, 0, 0 },
		/* sd² = (4/9 + 1/9 + 1/9) / 2 = 1/3, 0.577; p90 = 0.8; IQR = 0.5 - 0 */
		{ 3, 1, 0.3, 0, 0, 1, 0.6, 0.8, 1.0, 0.5 } },
	{ "quartiles that are rounded only in their difference", 4,
		{ 0, 1, 2, 3 },
		/* mean 1.5; sd² = 5/3, 1.291; p90 = 2.7; p99 = 2.97; quartiles
		 * 0.75 and 2.25, which round to 0.8 and 2.3: IQR = 1.5 */
		{ 4, 6, 1.5, 1.5, 0, 3, 1.3, 2.7, 3.0, 1.5 } },
};

static void lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		int64_t ns[12], scratch[12];
		memcpy(ns, r->ns, sizeof ns);
		struct time_stats s = stats_from(ns, scratch, r->n);
		if (memcmp(&s, &r->want, sizeof s) != 0)
			fail_msg("%s: avg %f med %f sd %f p90 %f p99 %f iqr %f",
				r->odd, s.avg_ns, s.med_ns, s.stddev_ns,
				s.p90_ns, s.p99_ns, s.iqr_ns);
	}
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Sorting by bytes sorts correctly: widths from none to all of 53 bits. */
static void many_are_sorted(void **state)
{
	enum { N = 5000 };
	static int64_t ns[N], same[N], scratch[N];
	uint64_t seed = 1;
	(void)state;
	for (int bits = 0; bits <= 40; bits++) {
		for (int i = 0; i < N; i++) {
			seed = seed * 6364136223846793005u +
			       1442695040888963407u;
			ns[i] = 1000 +
				(int64_t)(bits ? seed >> (64 - bits) : 0);
		}
		memcpy(same, ns, sizeof ns);
		qsort(same, N, sizeof *same, by_number);
		struct time_stats s = stats_from(ns, scratch, N);
		assert_memory_equal(ns, same, sizeof ns);
		assert_int_equal(s.min_ns, same[0]);
		assert_int_equal(s.max_ns, same[N - 1]);
	}
}

static void percent(void **state)
{
	(void)state;
	assert_true(stats_pct(0, 0) == 0);
	assert_true(stats_pct(1, 3) == 33.3);
	assert_true(stats_pct(1, 2000) == 0.1); /* 0.05 */
	assert_true(stats_pct(INT64_C(1) << 53, INT64_C(1) << 53) == 100);
}

static void unions(void **state)
{
	static const struct {
		const char *odd;
		int64_t spans[4][2], busy_ns;
		int n;
	} cases[] = {
		{ "apart", { { 0, 10 }, { 20, 5 } }, 15, 2 },
		{ "touching", { { 0, 10 }, { 10, 5 } }, 15, 2 },
		{ "overlapping", { { 0, 10 }, { 5, 10 } }, 15, 2 },
		{ "one inside another", { { 0, 10 }, { 2, 3 }, { 9, 2 } }, 11,
			3 },
		{ "none long", { { 5, 0 }, { 5, 0 } }, 0, 2 },
		{ "at once", { { 3, 4 }, { 3, 4 }, { 3, 1 } }, 4, 3 },
		{ "before zero", { { -10, 4 }, { -8, 4 } }, 6, 2 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct interval_union u = INTERVAL_NONE;
		for (int k = 0; k < cases[i].n; k++)
			interval_add(&u, cases[i].spans[k][0],
				cases[i].spans[k][1]);
		if (u.busy_ns != cases[i].busy_ns)
			fail_msg("%s: %lld", cases[i].odd,
				(long long)u.busy_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(many_are_sorted),
		cmocka_unit_test(percent),
		cmocka_unit_test(unions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

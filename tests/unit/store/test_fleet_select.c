/* test_fleet_select.c - the periods for a range of days cover exactly these
 * days, and are few. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "fleet_select.h"
#include "pgwire.h"
#include "rollup_code.h"
#include <string.h>

enum { TODAY = 20000, LAST = TODAY + 96 };

static int64_t at(const struct sql_array *a, uint32_t i)
{
	size_t element = 4 + 8; /* its length, its bytes */
	return pgwire_get64(
		a->body.at + a->body.len - (a->n - i) * element + 4);
}

/* Counts how often each day from `from` on is in the periods, and returns the
 * number of periods. Each period begins at a multiple of its length. */
static uint32_t sum(struct fleet_days d, int from, int *times)
{
	struct fleet_periods p;
	fleet_periods_init(&p, d, TODAY);
	uint32_t n = p.grains.n;
	for (uint32_t i = 0; i < n; i++) {
		int grain = (int)at(&p.grains, i),
		    first = (int)at(&p.firsts, i);
		int sign = (int)at(&p.signs, i);
		assert_int_equal(rollup_first(grain, first), first);
		int to = grain ? first + grain : LAST;
		for (int day = grain ? first : from; day < to; day++)
			if (day >= from && day < LAST)
				times[day - from] += sign;
	}
	fleet_periods_release(&p);
	return n;
}

static void holds(int32_t since, int32_t until, uint32_t most)
{
	int from = since == INT32_MIN ? TODAY - 300 : since - 128;
	static int times[LAST];
	memset(times, 0, sizeof times);
	uint32_t n = sum((struct fleet_days){ since, until }, from, times);
	int end = until == INT32_MAX ? TODAY : until;
	for (int day = from; day < end + 96 && day < LAST; day++) {
		bool in = day >= since && day < until;
		if (until == INT32_MAX && day >= TODAY)
			continue; /* later days have no stored data */
		if (times[day - from] != in)
			fail_msg("[%d, %d): day %d is there %d times", since,
				until, day, times[day - from]);
	}
	if (n > most)
		fail_msg("[%d, %d) takes %u stretches", since, until, n);
}

static void any_range_of_a_season_has_at_most_eight_periods(void **state)
{
	(void)state;
	for (int since = TODAY - 130; since < TODAY - 60; since++)
		for (int until = since; until <= since + 90; until++)
			holds(since, until, 8);
}

static void since_a_day(void **state)
{
	(void)state;
	for (int ago = 0; ago <= 200; ago++)
		holds(TODAY - ago, INT32_MAX, 7);
}

static void until_a_day(void **state)
{
	(void)state;
	for (int ago = 0; ago <= 200; ago++)
		holds(INT32_MIN, TODAY - ago, 8);
}

static void years(void **state)
{
	(void)state;
	holds(TODAY - 1000, TODAY - 3, 1000 / 64 + 8);
	holds(TODAY - 1000, TODAY - 1000, 0);
	holds(INT32_MIN, INT32_MAX, 1);
}

/* Days before 1970 can be requested, too; they have no data. */
static void before_all_days(void **state)
{
	struct fleet_periods p;
	(void)state;
	fleet_periods_init(&p, (struct fleet_days){ -700000, 128 }, TODAY);
	assert_int_equal(p.grains.n, 2);
	fleet_periods_release(&p);
	fleet_periods_init(&p, (struct fleet_days){ -700000, -600000 }, TODAY);
	assert_int_equal(p.grains.n, 0);
	fleet_periods_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			any_range_of_a_season_has_at_most_eight_periods),
		cmocka_unit_test(since_a_day),
		cmocka_unit_test(until_a_day),
		cmocka_unit_test(years),
		cmocka_unit_test(before_all_days),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

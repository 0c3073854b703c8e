/* test_retry.c - which failures are retried, and after which delay. */
#include "retry.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_decisions(void **state)
{
	(void)state;
	static const struct {
		struct attempt a;
		int tried, most, spread, wait_ms;
	} rows[] = {
		{ { ATTEMPT_AWAY, 0, 0 }, 0, 5, 0, 500 },
		{ { ATTEMPT_AWAY, 0, 0 }, 1, 5, 0, 1000 },
		{ { ATTEMPT_BROKEN, 0, 0 }, 4, 5, 0, 8000 },
		{ { ATTEMPT_BROKEN, 0, 0 }, 5, 5, 0, -1 },
		{ { ATTEMPT_AWAY, 0, 0 }, 0, 0, 0, -1 },
		{ { ATTEMPT_AWAY, 0, 0 }, 6, 99, 0, 30000 },
		{ { ATTEMPT_AWAY, 0, 0 }, 98, 99, 0, 30000 },
		{ { ATTEMPT_BARRED, 0, 0 }, 0, 5, 0, -1 },
		{ { ATTEMPT_HOPELESS, 0, 0 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 503, 0 }, 0, 5, 0, 500 },
		{ { ATTEMPT_ANSWERED, 503, 7 }, 3, 5, 0, 7000 },
		{ { ATTEMPT_ANSWERED, 503, 300 }, 0, 5, 0, 300000 },
		{ { ATTEMPT_ANSWERED, 503, 301 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 408, 0 }, 0, 5, 0, 500 },
		{ { ATTEMPT_ANSWERED, 429, 2 }, 0, 5, 0, 2000 },
		{ { ATTEMPT_ANSWERED, 502, 0 }, 0, 5, 0, 500 },
		{ { ATTEMPT_ANSWERED, 504, 0 }, 0, 5, 0, 500 },
		{ { ATTEMPT_ANSWERED, 400, 0 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 401, 5 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 413, 0 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 415, 0 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 500, 0 }, 0, 5, 0, -1 },
		{ { ATTEMPT_ANSWERED, 507, 0 }, 0, 5, 0, -1 },
		/* 500 + 500 * 255 / 1024 = 624.5…: less than a quarter more */
		{ { ATTEMPT_AWAY, 0, 0 }, 0, 5, 255, 624 },
		/* never before the time that the server requested */
		{ { ATTEMPT_ANSWERED, 503, 4 }, 0, 5, 128, 4500 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(retry_wait_ms(&rows[i].a, rows[i].tried,
					 rows[i].most, rows[i].spread),
			rows[i].wait_ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_decisions) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}

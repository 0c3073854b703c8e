/* test_schedule.c - tests how schedules of windows are parsed as users write
 * them. */
#include "window.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const int64_t ms_ns = 1000000;

static void test_schedules(void **state)
{
	(void)state;
	static const struct {
		const char *window;
		int64_t after_ms, once_ms; /* -1: refused */
	} windows[] = { { "30s+5s", 30000, 5000 }, { "500ms+2s", 500, 2000 },
		{ "0+1m", 0, 60000 }, { "1h+250ms", 3600000, 250 },
		{ "0s+5s", -1, 0 }, { "30s", -1, 0 }, { "30s+", -1, 0 },
		{ "+5s", -1, 0 }, { "30s+0s", -1, 0 }, { "30s+5", -1, 0 },
		{ "30 s+5s", -1, 0 }, { "30s+5s ", -1, 0 }, { "-3s+5s", -1, 0 },
		{ "30s+5sec", -1, 0 }, { "1.5s+5s", -1, 0 },
		{ "99999999999999999999s+5s", -1, 0 }, { "9000h+5s", -1, 0 } };
	static const struct {
		const char *every;
		int64_t every_ms, burst_ms;
	} everies[] = { { "10m:2s", 600000, 2000 }, { "1s:100ms", 1000, 100 },
		{ "2s:2s", -1, 0 }, { "2s:10m", -1, 0 }, { "10m", -1, 0 },
		{ "10m+2s", -1, 0 }, { ":2s", -1, 0 }, { "10m:", -1, 0 } };
	struct schedule s;

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		bool good = schedule_window(&s, windows[i].window);
		if (good != (windows[i].after_ms >= 0) ||
			(good && (s.after_ns != windows[i].after_ms * ms_ns ||
					 s.once_ns !=
						 windows[i].once_ms * ms_ns)))
			fail_msg("WINDOW '%s'", windows[i].window);
	}
	for (size_t i = 0; i < sizeof everies / sizeof *everies; i++) {
		bool good = schedule_every(&s, everies[i].every);
		if (good != (everies[i].every_ms >= 0) ||
			(good && (s.every_ns != everies[i].every_ms * ms_ns ||
					 s.burst_ns !=
						 everies[i].burst_ms * ms_ns)))
			fail_msg("EVERY '%s'", everies[i].every);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_schedules) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_window.c - tests when windows open and close, for lists of moments and
 * events. */
#include "window.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Midnight, so that multiples of a period are easy to see. */
static const int64_t day_ns = 1000 * INT64_C(86400000000000);
static const int64_t ms_ns = 1000000;

struct step {
	int64_t at_ms; /* since midnight */
	enum window_act act;
	enum window_why why; /* for an act */
	struct window_events e;
};
enum { STEPS = 24, END = -1 };

/* Calls window_next() until there is nothing to do, as the collector does.
 * Each act is a separate step. */
static void play(const char *name, const struct schedule *s, int64_t born_ms,
	const struct step *steps)
{
	struct window w;

	window_init(&w, s, day_ns + born_ms * ms_ns);
	for (int i = 0; steps[i].at_ms != END; i++) {
		const struct step *t = &steps[i];
		enum window_act act =
			window_next(&w, day_ns + t->at_ms * ms_ns, &t->e);
		if (act != t->act || (act != ACT_NONE && w.why != t->why))
			fail_msg("%s: step %d at %lld ms: act %d why '%s'",
				name, i, (long long)t->at_ms, (int)act,
				window_why_text(w.why));
	}
}

#define EVENTS(...)         \
	{                   \
		__VA_ARGS__ \
	}
#define LAST                 \
	{                    \
		.at_ms = END \
	}
#define NOTHING(ms)                        \
	{                                  \
		ms, ACT_NONE, 0, EVENTS(0) \
	}
#define OPEN(ms, why)                                 \
	{                                             \
		ms, ACT_OPEN, WINDOW_##why, EVENTS(0) \
	}
#define TRY(ms, why)                                 \
	{                                            \
		ms, ACT_TRY, WINDOW_##why, EVENTS(0) \
	}
#define CLOSE(ms, why)                                 \
	{                                              \
		ms, ACT_CLOSE, WINDOW_##why, EVENTS(0) \
	}
#define DRAINED(ms)                                      \
	{                                                \
		ms, ACT_NONE, 0, EVENTS(.drained = true) \
	}

static void test_always(void **state)
{
	(void)state;
	const struct schedule s = { .always = true, .kernels = 100 };

	const struct step lasts[] = { OPEN(0, start), TRY(0, start), NOTHING(1),
		NOTHING(3600000),
		{ 3600001, ACT_CLOSE, WINDOW_exit, EVENTS(.exiting = true) },
		{ 3600002, ACT_NONE, 0,
			EVENTS(.exiting = true, .drained = true) },
		LAST };
	play("from start to end", &s, 0, lasts);

	const struct step capped[] = { OPEN(0, start), TRY(0, start),
		{ 1, ACT_NONE, 0, EVENTS(.kernels = 99) },
		{ 2, ACT_CLOSE, WINDOW_kernels, EVENTS(.kernels = 100) },
		NOTHING(3), DRAINED(4), NOTHING(100000), LAST };
	play("kernels enough, and never again", &s, 0, capped);

	const struct step flooded[] = { OPEN(0, start), TRY(0, start),
		{ 10, ACT_CLOSE, WINDOW_flood, EVENTS(.flood = true) },
		DRAINED(20), NOTHING(30009), OPEN(30010, start),
		TRY(30010, start), LAST };
	play("a flood, and again 30 s later", &s, 0, flooded);

	const struct step refused[] = { OPEN(0, start), TRY(0, start),
		{ 1, ACT_NONE, 0, EVENTS(.refused = true) }, NOTHING(30000),
		TRY(30001, busy),
		{ 30002, ACT_NONE, 0, EVENTS(.refused = true) }, NOTHING(60001),
		TRY(60002, busy), NOTHING(60003), LAST };
	play("refused twice, 30 s between", &s, 0, refused);

	const struct step displaced[] = { OPEN(0, start), TRY(0, start),
		{ 5, ACT_LEAVE, WINDOW_busy, EVENTS(.displaced = true) },
		NOTHING(6), TRY(30005, busy), LAST };
	play("another tool's buffers", &s, 0, displaced);

	const struct step fatal[] = { OPEN(0, start), TRY(0, start),
		{ 5, ACT_GIVE_UP, WINDOW_fault, EVENTS(.fatal = true) },
		NOTHING(6), { 7, ACT_NONE, 0, EVENTS(.fatal = true) },
		{ 8, ACT_NONE, 0, EVENTS(.exiting = true) }, LAST };
	play("CUPTI's end", &s, 0, fatal);
}

static void test_once(void **state)
{
	(void)state;
	const struct schedule s = { .after_ns = 500 * ms_ns,
		.once_ns = 2000 * ms_ns };

	const struct step steps[] = { NOTHING(100), NOTHING(599),
		OPEN(600, time), TRY(600, time), NOTHING(2599),
		CLOSE(2600, time), NOTHING(4599), /* drains for at most 2 s */
		NOTHING(4600), NOTHING(90000), LAST };
	play("START counts from the start of CUDA", &s, 100, steps);

	const struct step late[] = { OPEN(2550, time), TRY(2551, time),
		CLOSE(2600, time), LAST };
	play("requested late: its end stays", &s, 100, late);

	const struct step missed[] = { NOTHING(2600), NOTHING(9000), LAST };
	play("requested too late", &s, 100, missed);

	const struct schedule few = { .once_ns = 5000 * ms_ns, .kernels = 10 };
	const struct step cut[] = { OPEN(0, time), TRY(0, time),
		{ 9, ACT_CLOSE, WINDOW_kernels, EVENTS(.kernels = 11) },
		DRAINED(10), NOTHING(11), LAST };
	play("its kernels end it for good", &few, 0, cut);

	const struct step ends[] = { NOTHING(100),
		{ 600, ACT_NONE, 0, EVENTS(.exiting = true) }, LAST };
	play("no window is begun by a process that ends", &s, 100, ends);
}

static void test_every(void **state)
{
	(void)state;
	const struct schedule s = { .every_ns = 10000 * ms_ns,
		.burst_ns = 2000 * ms_ns,
		.kernels = 10 };

	/* Started at 3.7 s: windows begin at multiples of 10 s of the clock,
	 * not of the time since the start. */
	const struct step aligned[] = { NOTHING(3700), NOTHING(9999),
		OPEN(10000, time), TRY(10000, time), NOTHING(11999),
		CLOSE(12000, time), DRAINED(12001), NOTHING(19999),
		OPEN(20003, time), TRY(20003, time), CLOSE(22000, time), LAST };
	play("at the clock's multiples", &s, 3700, aligned);

	const struct step cut[] = { OPEN(10000, time), TRY(10000, time),
		{ 10100, ACT_CLOSE, WINDOW_kernels, EVENTS(.kernels = 10) },
		DRAINED(10101), NOTHING(11000), OPEN(20000, time), LAST };
	play("cut short: the next multiple, not the rest of this", &s, 3700,
		cut);

	const struct step flood[] = { OPEN(10000, time), TRY(10000, time),
		{ 10100, ACT_CLOSE, WINDOW_flood, EVENTS(.flood = true) },
		DRAINED(10101), NOTHING(11000), OPEN(20000, time), LAST };
	play("a flood: the next multiple", &s, 3700, flood);

	const struct step refused[] = { OPEN(10000, time), TRY(10000, time),
		{ 10001, ACT_NONE, 0, EVENTS(.refused = true) },
		CLOSE(12000, time), DRAINED(12001), OPEN(20000, time),
		NOTHING(20001), /* still without CUPTI */
		CLOSE(22000, time), DRAINED(22001), OPEN(30000, time),
		NOTHING(30000), CLOSE(32000, time), DRAINED(32001),
		OPEN(40000, time), TRY(40001, time), LAST };
	play("refused: windows go on without CUPTI, which has its 30 s", &s,
		3700, refused);
}

static void test_requested(void **state)
{
	(void)state;
	const struct schedule s = { .length_ns = 1000 * ms_ns,
		.capture = true };

	const struct step trigger[] = { NOTHING(0),
		{ 10, ACT_OPEN, WINDOW_trigger, EVENTS(.trigger = true) },
		TRY(10, trigger), NOTHING(1009), CLOSE(1010, time),
		DRAINED(1011), NOTHING(5000), LAST };
	play("a trigger's window has its length", &s, 0, trigger);

	const struct step twice[] = { { 10, ACT_OPEN, WINDOW_trigger,
					      EVENTS(.trigger = true) },
		TRY(10, trigger), { 500, ACT_NONE, 0, EVENTS(.trigger = true) },
		NOTHING(1499), CLOSE(1500, time), LAST };
	play("pulled again: its length from there", &s, 0, twice);

	const struct step profiler[] = { NOTHING(0),
		{ 5, ACT_OPEN, WINDOW_profiler,
			EVENTS(.profiler_start = true) },
		TRY(5, profiler), NOTHING(60000),
		{ 70000, ACT_CLOSE, WINDOW_profiler,
			EVENTS(.profiler_stop = true) },
		DRAINED(70001), NOTHING(80000), LAST };
	play("from cuProfilerStart to Stop", &s, 0, profiler);

	const struct step brief[] = { NOTHING(0),
		{ 5, ACT_NONE, 0,
			EVENTS(.profiler_start = true, .profiler_stop = true) },
		NOTHING(6), LAST };
	play("started and stopped between two looks", &s, 0, brief);

	const struct step outlives[] = { { 5, ACT_OPEN, WINDOW_profiler,
						 EVENTS(.profiler_start =
								 true) },
		TRY(5, profiler), { 100, ACT_NONE, 0, EVENTS(.trigger = true) },
		{ 200, ACT_CLOSE, WINDOW_profiler,
			EVENTS(.profiler_stop = true) },
		LAST };
	play("the profiler's end is the end", &s, 0, outlives);

	const struct schedule deaf = { .length_ns = 1000 * ms_ns };
	const struct step disabled[] = {
		{ 5, ACT_NONE, 0, EVENTS(.profiler_start = true) }, NOTHING(6),
		LAST
	};
	play("cuProfilerStart, and it is not enabled", &deaf, 0, disabled);

	const struct schedule both = { .length_ns = 1000 * ms_ns,
		.every_ns = 10000 * ms_ns,
		.burst_ns = 2000 * ms_ns };
	const struct step runs_into[] = { NOTHING(9000),
		{ 9500, ACT_OPEN, WINDOW_trigger, EVENTS(.trigger = true) },
		TRY(9500, trigger), NOTHING(10500), NOTHING(11999),
		CLOSE(12000, time), LAST };
	play("a trigger's window runs into one of EVERY", &both, 9000,
		runs_into);
}

static void test_clock_set(void **state)
{
	(void)state;
	const struct schedule s = { .after_ns = 1000 * ms_ns,
		.once_ns = 2000 * ms_ns };
	const struct window_events none = { 0 };
	const int64_t hour_ns = INT64_C(3600000000000);
	struct window w;

	window_init(&w, &s, day_ns);
	window_clock_set(&w, -hour_ns);
	int64_t now_ns = day_ns - hour_ns + 1000 * ms_ns;
	assert_int_equal(window_next(&w, now_ns - 1, &none), ACT_NONE);
	assert_int_equal(window_next(&w, now_ns, &none), ACT_OPEN);
	window_clock_set(&w, 2 * hour_ns);
	now_ns += 2 * hour_ns + 2000 * ms_ns;
	assert_int_equal(window_next(&w, now_ns - 1, &none), ACT_TRY);
	assert_int_equal(window_next(&w, now_ns, &none), ACT_CLOSE);
}

/* The thread sleeps until the next event, but never forever. */
static void test_wakes(void **state)
{
	(void)state;
	const struct window_events none = { 0 };
	const struct schedule every = { .every_ns = 10000 * ms_ns,
		.burst_ns = 2000 * ms_ns };
	const struct schedule only_triggers = { .length_ns = 1 };
	struct window w;
	int64_t now_ns = day_ns + 3700 * ms_ns;

	window_init(&w, &only_triggers, now_ns);
	assert_int_equal(window_wakes_ns(&w, now_ns), INT64_MAX);

	window_init(&w, &every, now_ns);
	assert_int_equal(window_wakes_ns(&w, now_ns), day_ns + 10000 * ms_ns);
	now_ns = day_ns + 11000 * ms_ns;
	assert_int_equal(window_wakes_ns(&w, now_ns), now_ns);
	assert_int_equal(window_next(&w, now_ns, &none), ACT_OPEN);
	assert_true(window_wakes_ns(&w, now_ns) <= now_ns);
	assert_int_equal(window_next(&w, now_ns, &none), ACT_TRY);
	assert_int_equal(window_wakes_ns(&w, now_ns), day_ns + 12000 * ms_ns);
	const struct window_events refused = { .refused = true };
	assert_int_equal(window_next(&w, now_ns, &refused), ACT_NONE);
	assert_int_equal(window_wakes_ns(&w, now_ns), day_ns + 12000 * ms_ns);
	now_ns = day_ns + 12000 * ms_ns;
	assert_int_equal(window_next(&w, now_ns, &none), ACT_CLOSE);
	assert_int_equal(window_wakes_ns(&w, now_ns), now_ns + 2000 * ms_ns);
	const struct window_events drained = { .drained = true };
	assert_int_equal(window_next(&w, now_ns, &drained), ACT_NONE);
	assert_int_equal(window_wakes_ns(&w, now_ns), day_ns + 20000 * ms_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_always),
		cmocka_unit_test(test_once), cmocka_unit_test(test_every),
		cmocka_unit_test(test_requested),
		cmocka_unit_test(test_clock_set),
		cmocka_unit_test(test_wakes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

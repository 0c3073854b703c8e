/* test_launch_spread.c - tests the histogram, the slices and the streams of a
 * kernel's launches. */
#include "launch_spread.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MANY = 5000 };

/* Launches in an order of their own; the caller fills them. */
static struct launch_times made(struct arena *a, uint32_t n)
{
	return (struct launch_times){ arena_array(a, int64_t, n),
		arena_array(a, int64_t, n), arena_array(a, int32_t, n),
		arena_array(a, int64_t, n), n };
}

/* Each duration is in exactly one bin, and no bin is without end. */
static void bins_hold(const struct launch_times *t,
	const struct launch_spread *s)
{
	assert_true(s->bins_n > 0 && s->bins_n <= LAUNCH_BINS);
	for (uint32_t b = 0; b < s->bins_n; b++) {
		const struct launch_bin *bin = &s->bins[b];
		int64_t n = 0;
		for (uint32_t i = 0; i < t->n; i++)
			n += t->dur_ns[i] >= bin->from_ns &&
			     t->dur_ns[i] < bin->to_ns;
		assert_int_equal(bin->launches, n);
		assert_true(bin->from_ns < bin->to_ns);
		assert_true(!b || bin->from_ns == s->bins[b - 1].to_ns);
	}
	assert_true(s->bins[0].launches > 0);
	assert_true(s->bins[s->bins_n - 1].launches > 0);
}

static void one_launch(void **state)
{
	struct arena a = { 0 };
	struct launch_times t = made(&a, 1);
	struct launch_spread s;
	(void)state;
	t.start_ns[0] = 900;
	t.dur_ns[0] = 50;
	t.stream[0] = 7;
	launch_spread_from(&t, &a, &s);
	assert_int_equal(s.bins_n, 1);
	assert_int_equal(s.bins[0].from_ns, 50);
	assert_int_equal(s.bins[0].to_ns, 51);
	assert_int_equal(s.slices_n, 1);
	assert_int_equal(s.slices[0].from_ns, 900);
	assert_int_equal(s.slices[0].to_ns, 901);
	assert_int_equal(s.slices[0].is.instances, 1);
	assert_int_equal(s.streams_n, 1);
	assert_int_equal(s.streams[0].stream, 7);
	assert_true(s.all.p99_ns == 50);
	arena_release(&a);
}

/* 0 ns to an hour: an octave in 60 bins of 42 octaves has one bin. */
static void durations_that_differ_most(void **state)
{
	static const int64_t ns[] = { INT64_C(3600000000000), 0, 1, 2, 3, 1000,
		0 };
	struct arena a = { 0 };
	struct launch_times t = made(&a, 7);
	struct launch_spread s;
	(void)state;
	for (uint32_t i = 0; i < t.n; i++) {
		t.start_ns[i] = 5;
		t.dur_ns[i] = ns[i];
	}
	launch_spread_from(&t, &a, &s);
	bins_hold(&t, &s);
	assert_int_equal(s.bins[0].from_ns, 0);
	assert_int_equal(s.bins[0].launches, 3);
	assert_int_equal(s.bins_n, 42);
	assert_int_equal(s.slices_n, 1);
	arena_release(&a);
}

/* Durations within 1 % fill many bins, not one. */
static void durations_that_differ_little(void **state)
{
	struct arena a = { 0 };
	struct launch_times t = made(&a, MANY);
	struct launch_spread s;
	(void)state;
	for (uint32_t i = 0; i < t.n; i++) {
		t.start_ns[i] = (int64_t)(MANY - i) * 1000;
		t.dur_ns[i] = 100000 + i % 1000;
		t.device[i] = i % 3 == 2;
		t.stream[i] = i % 3 ? 20 : 7;
	}
	launch_spread_from(&t, &a, &s);
	bins_hold(&t, &s);
	assert_true(s.bins_n > LAUNCH_BINS / 2);
	assert_int_equal(s.slices_n, LAUNCH_SLICES);
	int64_t n = 0;
	for (uint32_t i = 0; i < s.slices_n; i++) {
		assert_true(s.slices[i].is.instances >= 49);
		assert_true(!i || s.slices[i].from_ns == s.slices[i - 1].to_ns);
		n += s.slices[i].is.instances;
	}
	assert_int_equal(n, MANY);
	/* most time first */
	assert_int_equal(s.streams_n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(s.streams[i].is.instances, MANY / 3 + (i < 2));
		assert_true(!i || s.streams[i].is.total_ns <=
					  s.streams[i - 1].is.total_ns);
	}
	arena_release(&a);
}

/* A gap in which the kernel was not launched is a slice without launches. */
static void slices_without_launches(void **state)
{
	struct arena a = { 0 };
	struct launch_times t = made(&a, 2);
	struct launch_spread s;
	(void)state;
	t.dur_ns[0] = 10;
	t.dur_ns[1] = 20;
	t.start_ns[1] = 999;
	launch_spread_from(&t, &a, &s);
	assert_int_equal(s.slices_n, 100);
	assert_int_equal(s.slices[0].to_ns, 10);
	assert_int_equal(s.slices[0].is.instances, 1);
	assert_int_equal(s.slices[50].is.instances, 0);
	assert_true(s.slices[99].is.med_ns == 20);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(one_launch),
		cmocka_unit_test(durations_that_differ_most),
		cmocka_unit_test(durations_that_differ_little),
		cmocka_unit_test(slices_without_launches),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

/* test_samples.c - tests the ring of samples, rates, and the times at which
 * turns are due. */
#include "sampled.h"
#include <pthread.h>

static void test_full(void **state)
{
	(void)state;
	struct samples *s = samples_new(4, moment_now, NULL);
	struct sample one;
	for (int i = 0; i < 7; i++)
		samples_put(s,
			&(struct sample){ i, i * 0.5, -1, COUNTER_oncpu });
	assert_int_equal(samples_dropped(s), 3);
	assert_int_equal(samples_dropped(s), 0);
	for (int i = 0; i < 4; i++) {
		assert_true(samples_next(s, &one));
		assert_int_equal(one.at_ns, i);
		assert_true(one.value == i * 0.5);
	}
	assert_false(samples_next(s, &one));
	samples_put(s, &(struct sample){ 9, 1, 3, COUNTER_gpu_usage });
	assert_true(samples_next(s, &one));
	assert_int_equal(one.at_ns, 9);
	assert_int_equal(one.device, 3);
	assert_int_equal(one.counter, COUNTER_gpu_usage);
	samples_free(s);
	samples_free(NULL);
}

/* Samples of a window that are left for the next; where counts restart. */
static void test_forget(void **state)
{
	(void)state;
	struct samples *s = samples_new(4, moment_now, NULL);
	struct sample one;
	samples_forget(s);
	assert_false(samples_next(s, &one));
	for (int i = 0; i < 10; i++) {
		for (int k = 0; k < 3; k++)
			samples_put(s,
				&(struct sample){ k, i, -1, COUNTER_oncpu });
		assert_true(samples_next(s, &one));
		samples_forget(s);
		samples_put(s, &(struct sample){ 7, i, -1, COUNTER_oncpu });
		assert_true(samples_next(s, &one));
		assert_int_equal(one.at_ns, 7);
		assert_int_equal(samples_dropped(s), 2);
		assert_false(samples_next(s, &one));
	}
	samples_free(s);
}

enum { MANY = 200000 };

static void *put_many(void *ctx)
{
	for (int i = 1; i <= MANY; i++)
		samples_put(ctx, &(struct sample){ i, i, -1, COUNTER_runq });
	return NULL;
}

/* Each sample is read or counted as lost. The samples that are read are
 * complete and in order. */
static void test_two_threads(void **state)
{
	(void)state;
	struct samples *s = samples_new(64, moment_now, NULL);
	pthread_t thread;
	struct sample one;
	int64_t taken = 0, dropped = 0, last = 0;
	assert_int_equal(pthread_create(&thread, NULL, put_many, s), 0);
	while (taken + dropped < MANY) {
		dropped += samples_dropped(s);
		while (samples_next(s, &one)) {
			assert_true(one.at_ns > last);
			assert_true(one.value == (double)one.at_ns);
			last = one.at_ns;
			taken++;
		}
	}
	pthread_join(thread, NULL);
	assert_false(samples_next(s, &one));
	assert_int_equal(taken + dropped + samples_dropped(s), MANY);
	samples_free(s);
}

static void test_rate(void **state)
{
	(void)state;
	struct rate r = { 0 };
	double per_s = -1;
	assert_false(rate_next(&r, 1000, 10, &per_s));
	assert_true(rate_next(&r, 1500, 10 + 250000000, &per_s));
	assert_true(per_s == 2000);
	/* no time passed; the count decreased; it increases from there */
	assert_false(rate_next(&r, 1600, 10 + 250000000, &per_s));
	assert_false(rate_next(&r, 5, 1000000010, &per_s));
	assert_true(rate_next(&r, 5, 2000000010, &per_s));
	assert_true(per_s == 0);
}

/* Turns at 0, 100, 200, …: after a late call, the next turn is the next
 * multiple. */
static void test_turns(void **state)
{
	static const struct {
		int64_t due, now, want;
		const char *odd;
	} cases[] = {
		{ 0, 0, 100, "in time" },
		{ 100, 101, 200, "a little late" },
		{ 100, 199, 200, "late by nearly a turn" },
		{ 100, 200, 300, "late by a whole turn" },
		{ 100, 1234, 1300, "late by eleven turns" },
		{ 100, 50, 100, "not due yet" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (cadence_next(cases[i].due, cases[i].now, 100) !=
			cases[i].want)
			fail_msg("%s", cases[i].odd);
}

/* Ten turns per second that are slightly early or late: one of ten is the
 * turn of the second. */
static void test_second(void **state)
{
	int64_t due_ns = 0;
	int times = 0;
	(void)state;
	for (int i = 0; i < 50; i++) {
		int64_t now = 7000000000 + i * INT64_C(100000000) +
			      (i % 3 - 1) * INT64_C(3000000);
		bool is = cadence_second(&due_ns, now);
		assert_int_equal(is, i % 10 == 0);
		times += is;
	}
	assert_int_equal(times, 5);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(counter_name(COUNTER_gpu_usage), "gpu_usage");
	assert_string_equal(counter_name(COUNTER_runq), "runq");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_two_threads),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

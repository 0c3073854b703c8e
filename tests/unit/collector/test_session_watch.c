/* test_session_watch.c - tests two cases in which no buffer arrives: another
 * tool receives the buffers, or too many threads share them. Also tests calls
 * that do not return. */
#include "session_stage.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define RUNTIME CUPTI_CB_DOMAIN_RUNTIME_API
#define DRIVER CUPTI_CB_DOMAIN_DRIVER_API

static void launch(int times)
{
	while (times--) {
		call(RUNTIME, 60, CUPTI_API_ENTER);
		call(DRIVER, 30, CUPTI_API_ENTER);
		call(DRIVER, 30, CUPTI_API_EXIT);
		call(RUNTIME, 60, CUPTI_API_EXIT);
	}
}

/* Launches are counted only while no buffer arrives. */
static void an_idle_process_is_not_displaced(void **state)
{
	struct stage t;
	size_t size;
	(void)state;
	stage_open(&t);
	uint8_t *buffer = lend(&size);
	assert_true(session_flush(t.session));
	assert_string_equal(fake_lib.text, "flush:0 dropped");
	*fake_lib.text = '\0';
	for (int i = 0; i < 5; i++)
		session_flush(t.session);
	assert_false(session_displaced(t.session));
	assert_string_equal(fake_lib.text,
		"flush:0 dropped +runtime:60 +runtime:123 +driver:30 flush:0 "
		"dropped flush:0 dropped flush:0 dropped flush:0 dropped");
	*fake_lib.text = '\0';
	give_back(buffer, size, 216);
	session_flush(t.session);
	assert_string_equal(fake_lib.text,
		"flush:0 dropped -runtime:60 -runtime:123 -driver:30");
	stage_clear(&t);
}

/* One buffer is lent and has room for 5,242 records; 16 more launches may have
 * failed. */
static void launches_that_fit_in_lent_buffers_prove_nothing(void **state)
{
	struct stage t;
	size_t size;
	(void)state;
	stage_open(&t);
	lend(&size);
	session_flush(t.session);
	session_flush(t.session);
	launch(5242 + 16);
	session_flush(t.session);
	assert_false(session_displaced(t.session));
	launch(1);
	session_flush(t.session);
	assert_true(session_displaced(t.session));
	stage_clear(&t);
}

static void another_tool_receives_the_buffers(void **state)
{
	struct stage t;
	(void)state;
	stage_open(&t);
	session_flush(t.session);
	launch(17);
	assert_false(session_displaced(t.session));
	session_flush(t.session);
	assert_true(session_displaced(t.session));
	*fake_lib.text = '\0';
	session_close(t.session);
	/* Buffers of the other tool are not flushed. */
	assert_null(strstr(fake_lib.text, "flush"));
	assert_non_null(strstr(fake_lib.text, "-10 -1 -22 -2 -17"));
	assert_non_null(strstr(fake_lib.text, "-driver:30"));
	assert_non_null(strstr(fake_lib.text, "unsubscribe"));
	/* The next window begins without suspicion. */
	assert_int_equal(session_open(t.session, t.sentence), SESSION_OPEN);
	assert_false(session_displaced(t.session));
	session_close(t.session);
	assert_non_null(strstr(fake_lib.text, "flush:1"));
	stage_clear(&t);
}

/* Only copies are recorded: launches fill no buffer, with or without another
 * tool. */
static void launches_that_make_no_records_prove_nothing(void **state)
{
	static const struct {
		struct session_kinds kinds;
		bool displaced;
	} cases[] = {
		{ { .copy = true, .overhead = true }, false },
		{ { .kernel = true }, true },
		{ { .copy = true, .launch = true }, true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stage t;
		stage_set(&t);
		stage_kinds(&t, cases[i].kinds);
		assert_int_equal(session_open(t.session, t.sentence),
			SESSION_OPEN);
		session_flush(t.session);
		launch(1000);
		session_flush(t.session);
		assert_int_equal(session_displaced(t.session),
			cases[i].displaced);
		session_close(t.session);
		stage_clear(&t);
	}
}

static void many_launching_threads_share_buffers(void **state)
{
	struct stage t;
	size_t size;
	(void)state;
	stage_open(&t);
	for (int i = 0; i < 17; i++)
		lend(&size);
	session_flush(t.session);
	assert_null(strstr(fake_lib.text, "@9"));
	session_close(t.session);
	*fake_lib.text = '\0';
	session_open(t.session, t.sentence);
	assert_string_equal(t.sentence,
		"many threads launch and share CUPTI's buffers");
	assert_non_null(strstr(fake_lib.text, "@9=0/1 register"));
	session_close(t.session);
	assert_non_null(strstr(fake_lib.text, "@9=1/1 threads:0 unsubscribe"));
	/* CUDA 12.2 has no buffers per thread. */
	t.library.version = 20;
	*fake_lib.text = '\0';
	session_open(t.session, t.sentence);
	assert_null(strstr(fake_lib.text, "@9"));
	session_close(t.session);
	stage_clear(&t);
}

static atomic_bool inside, leave;

static void stay(void)
{
	atomic_store(&inside, true);
	while (!atomic_load(&leave))
		sched_yield();
}

static void *flush(void *session)
{
	session_flush(session);
	return NULL;
}

static void a_call_that_does_not_return_is_detected(void **state)
{
	struct stage t;
	pthread_t thread;
	(void)state;
	stage_open(&t);
	assert_int_equal(session_stuck_ns(t.session), 0);
	fake_lib.in_flush = stay;
	assert_int_equal(pthread_create(&thread, NULL, flush, t.session), 0);
	while (!atomic_load(&inside))
		sched_yield();
	int64_t first = session_stuck_ns(t.session), second;
	while ((second = session_stuck_ns(t.session)) <= first)
		sched_yield();
	assert_true(second > 0);
	atomic_store(&leave, true);
	pthread_join(thread, NULL);
	assert_int_equal(session_stuck_ns(t.session), 0);
	stage_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_process_is_not_displaced),
		cmocka_unit_test(
			launches_that_fit_in_lent_buffers_prove_nothing),
		cmocka_unit_test(another_tool_receives_the_buffers),
		cmocka_unit_test(launches_that_make_no_records_prove_nothing),
		cmocka_unit_test(many_launching_threads_share_buffers),
		cmocka_unit_test(a_call_that_does_not_return_is_detected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_timeline.c - tests that pids never collide and that each name is
 * written once. */
#include "timeline.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int64_t host, host_pid, device, gpu_pid;
} pids[] = {
	{ 4711, 4711, 0, 0 },
	{ 4711, 4711, 7, 7 },
	/* not given */
	{ 4711, 4711, -1, 4194305 },
	{ -1, 4194304, 0, 0 },
	/* in a container, where a GPU could have the host's number */
	{ 1, 1, 1, 4194307 },
	{ 1, 1, 0, 4194306 },
	{ 4711, 4711, 4711, 4199017 },
	{ 4711, 4711, INT32_MAX, INT64_C(2151677953) },
};

static void test_pids(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof pids / sizeof *pids; i++) {
		struct timeline_tracks t;
		timeline_tracks_init(&t, NULL, pids[i].host);
		assert_int_equal(t.host_pid, pids[i].host_pid);
		assert_int_equal(timeline_tracks_gpu(&t, pids[i].device),
			pids[i].gpu_pid);
		assert_int_not_equal(t.host_pid,
			timeline_tracks_gpu(&t, pids[i].device));
	}
}

static void test_streams_are_named_once(void **state)
{
	(void)state;
	struct buf b;
	struct timeline_tracks t;
	buf_init(&b, 1 << 20);
	timeline_tracks_init(&t, &b, 4711);
	timeline_tracks_name_stream(&t, 0, 7);
	timeline_tracks_name_stream(&t, 0, 7);
	timeline_tracks_name_stream(&t, 1, 7);
	timeline_tracks_name_stream(&t, -1, -1);
	timeline_tracks_name_stream(&t, 0, 7);
	assert_string_equal(b.at,
		"\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":7,"
		"\"args\":{\"name\":\"stream 7\"}}"
		",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":7,"
		"\"args\":{\"name\":\"stream 7\"}}"
		",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":4194305,"
		"\"tid\":0,\"args\":{\"name\":\"GPU\"}}"
		",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4194305,"
		"\"tid\":-1,\"args\":{\"name\":\"stream -1\"}}");
	buf_release(&b);
}

/* A number represents itself; any other value is text and gets a name. */
static const struct {
	const char *thread, *tid;
	bool named;
} threads[] = {
	{ "4712", "4712", false },
	{ "0", "0", false },
	{ "999999999999999", "999999999999999", false },
	{ "1234567890123456", "\"1234567890123456\"", true },
	{ "007", "\"007\"", true },
	{ "-3", "\"-3\"", true },
	{ "wor\"ker", "\"wor\\\"ker\"", true },
	{ "", "\"\"", false },
};

static void test_threads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		const char *s = threads[i].thread;
		char want[100];
		struct buf b;
		struct timeline_tracks t;
		buf_init(&b, 1 << 20);
		timeline_tracks_init(&t, &b, 1);
		timeline_tracks_name_thread(&t, 5, s, strlen(s));
		assert_int_equal(b.len > 0, threads[i].named);
		b.len = 0;
		timeline_tracks_name_thread(&t, 5, s, strlen(s));
		assert_int_equal(b.len, 0);
		timeline_tracks_on_thread(&t, 1, s, strlen(s));
		snprintf(want, sizeof want, "\"pid\":1,\"tid\":%s",
			threads[i].tid);
		assert_string_equal(b.at, want);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_streams_are_named_once),
		cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_contract.c - the fake libcupti aborts a process that breaks the
 * contract.
 *
 * Each case runs a client in its own process. The client loads the two fakes
 * as any program does. A correct client must not be aborted, and it must count
 * every launch. */
#include "client.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the cases: what the client does */

static void nothing_wrong(void)
{
	client_begin("130001");
	client_record(GOOD, 100);
	client.sync(NULL);
	client.flush(0);
	client_end();
}

static void the_gpu_is_not_done(void)
{
	setenv("FAKE_KERNEL_NS", "100000000000", 1);
	client_begin("24");
	client_record(GOOD, 50);
	client.flush(0);
	printf("%ld, ", client_records());
	client_end();
}

static void only_while_enabled(void)
{
	client_begin("18");
	client_launch(7);
	client_record(GOOD, 11);
	client.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	client_launch(7);
	client.sync(NULL);
	client.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	client_end();
}

static void no_buffer_of_old(void)
{
	client_begin("24");
	client_record(NONE, 1);
}

static void no_buffer_of_now(void)
{
	client_begin("28");
	client_record(NONE, 9);
	client_end();
}

static void crooked(void)
{
	client_begin("28");
	client_record(CROOKED, 1);
}

static void dirty(void)
{
	size_t size = 1;
	uint8_t on = 1;

	client_begin("28");
	client.attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size,
		&on);
	client_record(DIRTY, 1);
}

static void twice(void)
{
	client_begin("28");
	client_record(TWICE, 100);
}

static void flush_from_a_callback(void)
{
	client_begin("28");
	client_record(FLUSHES, 10);
	client.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

static void enabled_twice(void)
{
	client_begin("28");
	client_record(GOOD, 0);
	client.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

static void one_at_a_time(void)
{
	client_begin("28");
	client.enable(CUPTI_ACTIVITY_KIND_KERNEL);
}

static void after_unsubscribing(void)
{
	client_begin("28");
	client.unsubscribe(client.handle);
	client.flush(0);
}

static void unsubscribed_too_early(void)
{
	client_begin("28");
	client_record(GOOD, 0);
	client.unsubscribe(client.handle);
}

static void never_flushed(void)
{
	client_begin("28");
	client_record(GOOD, 3);
	client.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	client.unsubscribe(client.handle);
}

static void call_of_a_later_version(void)
{
	client_begin("18");
	client.driver_call(307, 1);
}

static void finalized(void)
{
	client_begin("28");
	client.finalize();
}

/* ---- the expected results */

static void plays(void **state)
{
	static const struct {
		void (*client)(void);
		const char *says;
	} cases[] = {
		{ nothing_wrong, "100 records, 0 without times\n" },
		{ the_gpu_is_not_done, "0, 50 records, 50 without times\n" },
		{ only_while_enabled, "11 records, 0 without times\n" },
		{ no_buffer_of_now, "0 records, 0 without times\n" },
		{ no_buffer_of_old,
			"fake CUDA: a NULL buffer crashes version 24\n" },
		{ crooked,
			"fake CUDA: a buffer is at an address that is no multiple of 8\n" },
		{ dirty, "fake CUDA: a buffer is not zero at 0, as was "
			 "promised\n" },
		{ twice, "fake CUDA: a buffer was lent twice\n" },
		{ flush_from_a_callback,
			"fake CUDA: cuptiActivityFlushAll from a buffer's "
			"callback can deadlock\n" },
		{ enabled_twice, "fake CUDA: kind 10 is enabled twice\n" },
		{ one_at_a_time,
			"fake CUDA: KIND_KERNEL runs one kernel at a time; "
			"KIND_CONCURRENT_KERNEL is meant\n" },
		{ after_unsubscribing,
			"fake CUDA: cuptiActivityFlushAll while there is no subscriber\n" },
		{ unsubscribed_too_early,
			"fake CUDA: cuptiUnsubscribe while something is "
			"enabled\n" },
		{ never_flushed,
			"fake CUDA: cuptiUnsubscribe while 3 records are in buffers\n" },
		{ call_of_a_later_version,
			"fake CUDA: cuptiActivityEnableDriverApi is not in "
			"version 18\n" },
		{ finalized,
			"fake CUDA: cuptiFinalize crashes when other threads "
			"call CUDA\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char message[256] = "";
		size_t n = 0;
		ssize_t got;
		int to[2], status;
		assert_int_equal(pipe(to), 0);
		fflush(stdout);
		pid_t child = fork();
		if (child == 0) {
			dup2(to[1], 1);
			dup2(to[1], 2);
			close(to[0]);
			close(to[1]);
			cases[i].client();
			fflush(stdout);
			_exit(0);
		}
		close(to[1]);
		while (n < sizeof(message) - 1 &&
			(got = read(to[0], message + n,
				 sizeof(message) - 1 - n)) > 0)
			n += (size_t)got;
		close(to[0]);
		waitpid(child, &status, 0);
		assert_string_equal(message, cases[i].says);
		if (message[0] == 'f')
			assert_true(WIFSIGNALED(status) &&
				    WTERMSIG(status) == SIGABRT);
		else
			assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plays) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

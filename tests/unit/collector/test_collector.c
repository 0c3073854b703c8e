/* test_collector.c - tests what stops the collector permanently and what wakes
 * its threads. */
#include "collector.h"
#include "fault.h"
#include "thread.h"
#include "trigger.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

static const int64_t minute_ns = INT64_C(60000000000);

struct guest {
	struct thread_event event;
	_Atomic bool done;
	sigset_t blocked;
	char name[16];
};

static void *look_around(void *ctx)
{
	struct guest *g = ctx;

	thread_begin("ks-guest");
	prctl(PR_GET_NAME, g->name);
	pthread_sigmask(SIG_BLOCK, NULL, &g->blocked);
	atomic_store(&g->done, true);
	thread_event_raise(&g->event);
	return NULL;
}

static void wait_for(struct thread_event *b, _Atomic bool *done)
{
	while (!atomic_load(done)) {
		uint32_t seen = thread_event_seen(b);
		if (!atomic_load(done))
			thread_event_wait(b, seen, minute_ns);
	}
}

static void test_thread(void **state)
{
	(void)state;
	static struct guest g;
	sigset_t here;

	assert_true(thread_start(look_around, &g));
	wait_for(&g.event, &g.done);
	assert_string_equal(g.name, "ks-guest");
	assert_true(sigismember(&g.blocked, SIGTERM));
	assert_true(sigismember(&g.blocked, SIGXFSZ));
	assert_true(sigismember(&g.blocked, SIGUSR2));
	pthread_sigmask(SIG_BLOCK, NULL, &here);
	assert_false(
		sigismember(&here, SIGTERM)); /* those of its creator stay */
}

/* A bell that rang before the wait ends the wait. */
static void test_bell(void **state)
{
	(void)state;
	struct thread_event b = { 0 };
	uint32_t seen = thread_event_seen(&b);

	thread_event_raise(&b);
	thread_event_wait(&b, seen, 60 * minute_ns);
	assert_int_not_equal(thread_event_seen(&b), seen);
	thread_event_wait(&b, thread_event_seen(&b),
		1); /* no bell rings: the wait times out */
}

static void test_signal(void **state)
{
	(void)state;
	static struct thread_event b;
	struct trigger t, second;

	assert_true(trigger_from(&t, "signal:USR2"));
	assert_true(trigger_start(&t, &b));
	assert_false(trigger_pulled(&t));
	uint32_t seen = thread_event_seen(&b);
	errno = EAGAIN;
	raise(SIGUSR2);
	assert_int_equal(errno, EAGAIN);
	assert_int_not_equal(thread_event_seen(&b), seen);
	assert_true(trigger_pulled(&t));
	assert_false(trigger_pulled(&t));

	signal(SIGUSR1, SIG_IGN); /* the host's own request */
	assert_true(trigger_from(&second, "signal:USR1"));
	assert_false(trigger_start(&second, &b));
	assert_false(trigger_pulled(&second));
	assert_ptr_equal(signal(SIGUSR1, SIG_DFL), SIG_IGN);
}

static void test_file(void **state)
{
	(void)state;
	static struct thread_event b;
	char path[] = "/tmp/kernsift-trigger-XXXXXX";
	char text[64] = "file:";
	struct trigger t;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	strcat(text, path);
	assert_true(trigger_from(&t, text));
	assert_true(trigger_start(&t, &b));
	assert_false(trigger_pulled(&t)); /* it existed before */
	unlink(path);
	assert_false(trigger_pulled(&t)); /* its removal requests nothing */
	close(fd);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_true(fd >= 0);
	assert_true(trigger_pulled(&t));
	assert_false(trigger_pulled(&t));
	close(fd);
	unlink(path);
	assert_false(trigger_from(&t, "file:relative"));
	assert_false(trigger_from(&t, "signal:KILL"));
}

static void test_faults(void **state)
{
	(void)state;
	for (int i = 0; i < 7; i++)
		fault_report("a case");
	assert_false(fault_stopped());
	fault_report("a case");
	assert_true(fault_stopped());
	fault_report("a case");
	collector_start(); /* it starts nothing any more */
	assert_false(collector_wanted());
	assert_false(collector_wants_ranges());
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_thread),
		cmocka_unit_test(test_bell), cmocka_unit_test(test_signal),
		cmocka_unit_test(test_file), cmocka_unit_test(test_faults) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* thread.c - starts detached threads with all signals blocked; waits on
 * futexes. */
#include "thread.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 512 << 10, NICE = 10 };

bool thread_start(thread_fn *f, void *ctx)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	int rc;

	if (pthread_attr_init(&attr))
		return false;
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, f, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return !rc;
}

/* A thread names itself. If another thread did, the kernel would create an entry
 * in /proc for it, and the parent of the process would spend up to a time slice
 * on removing that entry when the process ends. */
void thread_begin(const char *name)
{
	prctl(PR_SET_NAME, name);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
}

uint32_t thread_event_seen(const struct thread_event *b)
{
	return atomic_load(&b->raised);
}

void thread_event_wait(struct thread_event *b, uint32_t seen, int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	if (ns > 0 && atomic_load(&b->raised) == seen)
		syscall(SYS_futex, &b->raised, FUTEX_WAIT_PRIVATE, seen, &t,
			NULL, 0);
}

void thread_event_raise(struct thread_event *b)
{
	atomic_fetch_add(&b->raised, 1);
	syscall(SYS_futex, &b->raised, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL,
		NULL, 0);
}

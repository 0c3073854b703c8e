/* trigger.c - a signal handler that sets a flag, and a file whose modification
 * time is checked. */
#include "trigger.h"
#include "thread.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

static atomic_bool signalled;
static _Atomic(struct thread_event *) raised;

static void trigger_on_signal(int number)
{
	int before = errno;

	(void)number;
	atomic_store(&signalled, true);
	thread_event_raise(atomic_load(&raised));
	errno = before;
}

bool trigger_from(struct trigger *t, const char *text)
{
	*t = (struct trigger){ .seen_ns = -1 };
	if (!strcmp(text, "signal:USR1"))
		t->signal = SIGUSR1;
	else if (!strcmp(text, "signal:USR2"))
		t->signal = SIGUSR2;
	else if (!strncmp(text, "file:/", 6))
		t->path = text + 5;
	else
		return false;
	return true;
}

/* The time when the file was created or last touched. */
static int64_t trigger_changed_ns(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -1;
	return (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec;
}

bool trigger_start(struct trigger *t, struct thread_event *b)
{
	struct sigaction now;
	struct sigaction ours = { .sa_handler = trigger_on_signal,
		.sa_flags = SA_RESTART };

	atomic_store(&raised, b);
	if (t->path)
		t->seen_ns = trigger_changed_ns(t->path);
	if (!t->signal)
		return true;
	if (!sigaction(t->signal, NULL, &now) && now.sa_handler == SIG_DFL &&
		!(now.sa_flags & SA_SIGINFO) &&
		!sigaction(t->signal, &ours, NULL))
		return true;
	t->signal = 0;
	return false;
}

bool trigger_pulled(struct trigger *t)
{
	int64_t seen_ns;

	if (t->signal)
		return atomic_exchange(&signalled, false);
	if (!t->path)
		return false;
	seen_ns = trigger_changed_ns(t->path);
	if (seen_ns == t->seen_ns)
		return false;
	t->seen_ns = seen_ns;
	return seen_ns >= 0;
}

/* session_watch.c - notices that buffers go to somebody else.
 *
 * Another tool's cuptiActivityRegisterCallbacks replaces ours without a word.
 * Silence alone says nothing, since an idle process is silent too; so after a
 * flush without buffers launches are counted, by callbacks that are off as long
 * as buffers come. As many launches as the buffers still out there could hold
 * are no proof either: CUPTI may be filling one. More are, of launches that make
 * records: who records copies alone can wait for ever. */
#include "session_state.h"

/* Kernel records of 200 bytes and more in 1 MiB; and a few launches that failed
 * or were under way. */
enum { RECORDS = (1 << 20) / 200, SOME = 16 };

void session_watch_start(struct session *s)
{
	s->watch =
		(struct session_watch){ .buffers = atomic_load(&s->buffers) };
}

static void count_launches(struct session *s, bool on)
{
	if (s->watch.counting == on)
		return;
	atomic_store(&s->launched[0], 0);
	atomic_store(&s->launched[1], 0);
	session_launch_calls(s, on);
	s->watch.counting = on;
}

/* A runtime call is one of the driver's as well: the greater number. */
static int64_t launched(const struct session *s)
{
	int64_t runtime = atomic_load(&s->launched[false]);
	int64_t driver = atomic_load(&s->launched[true]);
	return runtime > driver ? runtime : driver;
}

/* What CUPTI refused counts as not asked for. */
static bool launches_are_recorded(const struct session *s)
{
	return s->on[KIND_KERNEL] || s->on[KIND_GRAPH] || s->on[KIND_RUNTIME] ||
	       s->on[KIND_DRIVER] || s->calls_on[false] || s->calls_on[true];
}

void session_watch_flush(struct session *s)
{
	if (!launches_are_recorded(s))
		return;
	uint64_t buffers = atomic_load(&s->buffers);
	if (buffers != s->watch.buffers) {
		s->watch.buffers = buffers;
		s->watch.quiet = 0;
		count_launches(s, false);
		return;
	}
	s->watch.quiet++;
	count_launches(s, true);
	int64_t room = (int64_t)intake_lent(s->intake) * RECORDS + SOME;
	if (s->watch.quiet >= 2 && launched(s) > room)
		s->watch.displaced = true;
}

void session_watch_end(struct session *s)
{
	count_launches(s, false);
}

bool session_displaced(struct session *s)
{
	return s->watch.displaced;
}

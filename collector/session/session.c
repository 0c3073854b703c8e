/* session.c - opens and closes windows, in the order that CUPTI asks for. */
#include "session_state.h"
#include "clock.h"
#include <sys/mman.h>

enum {
	FAILURES = 3, /* flushes one after the other: no accident */
	CROWD = 16, /* launching threads, of which each holds a buffer */
	V13_0 = 130000
};

struct session *session_new(const struct library *l, struct intake *i,
	struct nodes *n, struct names *names, const struct session_kinds *k)
{
	void *at = mmap(NULL, sizeof(struct session), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	struct session *s = at;
	s->library = l;
	s->intake = i;
	s->nodes = n;
	s->names = names;
	s->wanted = *k;
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	session_unregister(s);
	munmap(s, sizeof *s);
}

static enum session_end subscribe(struct session *s, char sentence[static 512])
{
	const struct library *l = s->library;
	char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
	CUpti_SubscriberParams params = {
		.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
		.subscriberName = "kernsift",
		.oldSubscriberName = holder,
		.oldSubscriberSize = sizeof holder,
	};
	CUptiResult r = l->subscribe_v2 ? l->subscribe_v2(&s->subscriber,
						  session_called, s, &params)
					: l->subscribe(&s->subscriber,
						  session_called, s);
	if (r == CUPTI_SUCCESS) {
		session_hear(s, sentence);
		return SESSION_OPEN;
	}
	s->subscriber = NULL;
	if (r != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return session_unfit(s, r, sentence);
	holder[sizeof holder - 1] = '\0';
	if (*holder)
		session_tell(sentence, "'%s' holds CUPTI", holder);
	else
		session_tell(sentence, "another tool holds CUPTI");
	return SESSION_BUSY;
}

/* Where the session still listens, the subscription stays. */
static void unsubscribe(struct session *s)
{
	if (s->subscriber && !s->listening) {
		s->library->unsubscribe(s->subscriber);
		s->subscriber = NULL;
	}
}

static void within(struct session *s, bool yes)
{
	atomic_store(&s->within_since_ns,
		yes ? clock_read_ns(CLOCK_MONOTONIC) : 0);
}

int64_t session_stuck_ns(const struct session *s)
{
	int64_t since = atomic_load(&s->within_since_ns);
	int64_t now = clock_read_ns(CLOCK_MONOTONIC);
	return since && now > since ? now - since : 0;
}

static void count_dropped(struct session *s)
{
	size_t lost = 0;
	if (s->library->dropped(NULL, 0, &lost) == CUPTI_SUCCESS)
		atomic_fetch_add(&s->dropped, (int64_t)lost);
}

int64_t session_dropped(struct session *s)
{
	return atomic_exchange(&s->dropped, 0);
}

/* Back to where a window began. */
static void undo(struct session *s)
{
	session_settings_restore(s);
	if (s->listening)
		session_hear_unloads(s, NULL);
	unsubscribe(s);
}

/* After a fatal state CUPTI has ended itself, and is not called any more. */
static void forget_window(struct session *s)
{
	s->subscriber = NULL;
	s->listening = s->open = false;
	for (int kind = 0; kind < KINDS; kind++)
		s->on[kind] = false;
	s->calls_on[0] = s->calls_on[1] = 0;
	s->settings = (struct session_settings){ .thread_ids = false };
}

/* Nothing could be enabled: whose fault is it? */
static enum session_end refused(struct session *s, CUptiResult r,
	char sentence[static 512])
{
	undo(s);
	if (r == CUPTI_SUCCESS) {
		session_tell(sentence, "nothing is to be recorded");
		return SESSION_UNFIT;
	}
	if (r != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return session_unfit(s, r, sentence);
	session_tell(sentence, "another tool holds CUPTI");
	return SESSION_BUSY;
}

static enum session_end open_window(struct session *s,
	char sentence[static 512])
{
	CUptiResult r;

	if (!atomic_load(&s->calls_found)) {
		calls_find(&s->calls, s->library);
		atomic_store(&s->calls_found, true);
	}
	names_forget_pointers(s->names);
	if (!s->subscriber) {
		enum session_end end = subscribe(s, sentence);
		if (end != SESSION_OPEN)
			return end;
	}
	session_settings_apply(s);
	r = session_register(s);
	if (r != CUPTI_SUCCESS)
		return refused(s, r, sentence);
	session_hear_unloads(s, sentence);
	if (!session_kinds_enable(s, sentence, &r))
		return refused(s, r, sentence);
	session_watch_start(s);
	s->failures = 0;
	s->open = true;
	if (s->library->version == V13_0)
		session_tell(sentence,
			"CUPTI 13.0 has faults that 13.0 Update 1 mends");
	if (s->settings.set[SETTING_SHARED])
		session_tell(sentence,
			"many threads launch and share CUPTI's buffers");
	return SESSION_OPEN;
}

enum session_end session_open(struct session *s, char sentence[static 512])
{
	enum session_end end = SESSION_OPEN;
	*sentence = '\0';
	if (!s->open && !atomic_load(&s->fatal)) {
		within(s, true);
		end = open_window(s, sentence);
		within(s, false);
	}
	if (!atomic_load(&s->fatal))
		return end;
	forget_window(s);
	session_tell(sentence, "CUPTI reported a fatal state");
	return SESSION_FATAL;
}

bool session_flush(struct session *s)
{
	if (!s->open || atomic_load(&s->fatal))
		return !atomic_load(&s->fatal);
	within(s, true);
	CUptiResult r = s->library->flush_all(0);
	if (!atomic_load(&s->fatal)) {
		count_dropped(s);
		session_watch_flush(s);
	}
	if (intake_lent(s->intake) > CROWD)
		s->crowded = true;
	within(s, false);
	s->failures = r == CUPTI_SUCCESS ? 0 : s->failures + 1;
	return s->failures < FAILURES && !atomic_load(&s->fatal);
}

static void close_window(struct session *s)
{
	session_watch_end(s);
	session_kinds_disable(s);
	if (!s->watch.displaced)
		s->library->flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	if (atomic_load(&s->fatal))
		return;
	count_dropped(s);
	undo(s);
}

bool session_close(struct session *s)
{
	if (!s->open)
		return true;
	s->open = false;
	within(s, true);
	if (!atomic_load(&s->fatal))
		close_window(s);
	if (atomic_load(&s->fatal))
		forget_window(s);
	within(s, false);
	return !atomic_load(&s->fatal);
}

enum session_end session_listen(struct session *s, bool on,
	char sentence[static 512])
{
	*sentence = '\0';
	if (on == s->listening || atomic_load(&s->fatal))
		return atomic_load(&s->fatal) ? SESSION_FATAL : SESSION_OPEN;
	if (!on) {
		s->listening = false;
		if (!s->open)
			unsubscribe(s);
		return SESSION_OPEN;
	}
	if (!s->subscriber) {
		enum session_end end = subscribe(s, sentence);
		if (end != SESSION_OPEN)
			return end;
	}
	s->listening = true;
	return SESSION_OPEN;
}

void session_profiler(struct session *s, bool *start, bool *stop)
{
	*start = atomic_exchange(&s->start, false);
	*stop = atomic_exchange(&s->stop, false);
}

const char *session_call_name(void *session, bool driver, uint32_t cbid)
{
	const struct session *s = session;
	return atomic_load(&s->calls_found)
		       ? calls_name(&s->calls, driver, cbid)
		       : NULL;
}

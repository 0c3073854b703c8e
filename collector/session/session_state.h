/* session_state.h - what a session's files share; nobody else includes it. */
#pragma once
#include "calls.h"
#include "session.h"
#include <stdarg.h>
#include <stdatomic.h>

enum session_kind {
	KIND_GRAPH, /* first: what is enabled later then leaves graphs whole */
	KIND_KERNEL,
	KIND_COPY,
	KIND_PEER_COPY,
	KIND_SET,
	KIND_OVERHEAD,
	KIND_RUNTIME, /* where calls cannot be chosen one by one */
	KIND_DRIVER,
	KINDS
};

/* CUPTI's attributes that a window sets, and how they were. */
enum session_setting {
	SETTING_ZEROED,
	SETTING_POOL,
	SETTING_PINNED,
	SETTING_SHARED, /* buffers, by all threads */
	SETTINGS
};
struct session_settings {
	bool set[SETTINGS];
	uint64_t before[SETTINGS];
	bool thread_ids;
};

/* Whether buffers come while work is launched: session_watch.c. */
struct session_watch {
	bool counting; /* launches, by callbacks */
	uint64_t buffers; /* requested and completed, when last looked */
	int quiet; /* flushes since they grew */
	bool displaced;
};

struct session {
	const struct library *library;
	struct intake *intake;
	struct nodes *nodes;
	struct names *names;
	struct session_kinds wanted;
	struct calls calls;
	atomic_bool calls_found;

	CUpti_SubscriberHandle subscriber; /* NULL: not subscribed */
	bool listening, open;
	bool on[KINDS];
	int calls_on[2]; /* launch calls enabled one by one, [driver] */
	bool crowded; /* more buffers out than one for each of few threads */
	int failures; /* flushes that failed, one after the other */
	struct session_settings settings;
	struct session_watch watch;

	/* Written by callbacks. */
	atomic_bool fatal, start, stop;
	_Atomic uint64_t buffers;
	_Atomic int64_t launched[2]; /* [driver] */
	/* Written by the control thread, read by others. */
	_Atomic int64_t dropped, within_since_ns;
};

/* Adds a sentence behind what is there, while there is room. */
void session_tell(char sentence[static 512], const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Why CUPTI refused a part, in few words. */
const char *session_reason(const struct session *s, CUptiResult r);
/* SESSION_UNFIT, and why; CUPTI's own word for a driver that is missing or too
 * old is "unknown". */
enum session_end session_unfit(const struct session *s, CUptiResult r,
	char sentence[static 512]);

/* session_settings.c: thread ids and attributes. */
void session_settings_apply(struct session *s);
void session_settings_restore(struct session *s);

/* session_kinds.c: false where nothing of what is wanted could be enabled;
 * *worst is then how CUPTI refused the first. */
bool session_kinds_enable(struct session *s, char sentence[static 512],
	CUptiResult *worst);
void session_kinds_disable(struct session *s);

/* session_callbacks.c: what CUPTI calls. */
extern const CUpti_CallbackFunc session_called;
CUptiResult session_register(struct session *s);
void session_unregister(const struct session *s);
/* As long as the subscription lasts: fatal states, graph nodes, cuProfilerStart
 * and Stop. */
void session_hear(struct session *s, char *sentence);
/* In windows, where names are pinned; without a sentence: no more. */
void session_hear_unloads(struct session *s, char *sentence);
void session_launch_calls(struct session *s, bool on);

/* session_watch.c: after each flush. */
void session_watch_start(struct session *s);
void session_watch_flush(struct session *s);
void session_watch_end(struct session *s);

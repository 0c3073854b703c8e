/* trigger.h - windows on demand: by a signal, or by a file that is made or
 * touched.
 *
 * A signal is taken only where the host left it alone (SIG_DFL): its own
 * handler stays. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct thread_event;

struct trigger {
	int signal; /* 0: none */
	const char *path; /* NULL: none */
	int64_t seen_ns; /* when the file changed last; -1: it is not there */
};

/* Of KERNSIFT_TRACE_TRIGGER; `text` is borrowed. False where it is none. */
bool trigger_from(struct trigger *t, const char *text);

/* Begins to watch; a signal rings `b`, which stays for ever. False, and nothing
 * to watch, where the host has a handler of its own. */
bool trigger_start(struct trigger *t, struct thread_event *b);
/* Whether the trigger fired since the last call. For one thread. */
bool trigger_pulled(struct trigger *t);

/* trigger.h - windows on demand: by a signal, or by a file that is made or
 * touched.
 *
 * A signal is used only if the host left it alone (SIG_DFL): the host's own
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

/* From KERNSIFT_TRACE_TRIGGER; `text` is borrowed. False if it is no
 * trigger. */
bool trigger_from(struct trigger *t, const char *text);

/* Begins to watch; a signal rings `b`, which stays for ever. False, and
 * nothing is watched, if the host has a handler of its own. */
bool trigger_start(struct trigger *t, struct thread_event *b);
/* Whether the trigger fired since the last call. For one thread. */
bool trigger_pulled(struct trigger *t);

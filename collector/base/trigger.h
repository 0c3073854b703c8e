/* trigger.h - opens windows on demand: on a signal, or when a file is created
 * or touched.
 *
 * A signal is used only if the host has no handler for it (SIG_DFL). A handler
 * of the host is never replaced. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct thread_event;

struct trigger {
	int signal; /* 0: none */
	const char *path; /* NULL: none */
	int64_t seen_ns; /* when the file last changed; -1: the file does not
			  * exist */
};

/* Parses KERNSIFT_TRACE_TRIGGER; `text` is borrowed. False if it is not a
 * valid trigger. */
bool trigger_from(struct trigger *t, const char *text);

/* Starts to watch. A signal raises `b`, which must never be freed. Returns
 * false and watches nothing if the host has its own handler for the signal. */
bool trigger_start(struct trigger *t, struct thread_event *b);
/* Whether the trigger fired since the last call. For one thread. */
bool trigger_pulled(struct trigger *t);

/* graph_capture.h - the launches that stream captures recorded.
 *
 * Between the call that begins a capture and the one that ends it a thread's
 * launches run nothing: they become nodes of a graph. Launches of other threads
 * belong to it where no other capture is open then and no kernel came of them.
 * Captures that are not whole are left out: begun or ended outside the trace,
 * with a launch that does not name its kernel, or with a graph within. */
#pragma once
#include "trace.h"

struct graph_captures {
	uint32_t *call; /* rows of calls, ascending */
	uint32_t *of; /* beside each: its capture, from 0 in order of begin */
	uint32_t calls_n, n;
};

/* `call_of` as in correlation.h. To be released; false where the arena is
 * full. */
bool graph_captures_find(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct arena *a, struct graph_captures *out);
void graph_captures_release(struct graph_captures *c, struct arena *a);

/* graph_capture.h - the launches that stream captures recorded, and the graphs
 * learned from them.
 *
 * Between the call that begins a capture and the one that ends it a thread's
 * launches run nothing: they become nodes of a graph. Launches of other threads
 * belong to it if no other capture is open then and they caused no kernel.
 * Incomplete captures are left out: begun or ended outside the trace, with a
 * launch that does not name its kernel, or with a graph inside. */
#pragma once
#include "attribution.h"
#include "operators.h"
#include "trace.h"

/* The key of a graph: a hash of its kernels' names in any order. `names` are ids,
 * which it sorts. */
void graph_capture_key(const struct names *texts, uint32_t *names, uint32_t n,
	uint8_t key[32]);

/* By key, then content. */
int graph_capture_compare(const struct graph_known *a,
	const struct graph_known *b);

/* Whether a kernel is the runtime's own, which does a graph's copies and sets: a
 * capture does not show it as a launch. */
bool graph_capture_is_runtime_kernel(const char *kernel);

struct graph_captures {
	uint32_t *call; /* rows of calls, ascending */
	uint32_t *of; /* of each row: its capture, from 0 in order of begin */
	uint32_t calls_n, n;
};

/* `call_of` as in correlation.h. False if the arena is full. */
bool graph_captures_find(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct arena *a, struct graph_captures *out);

/* Fills the profile's learned graphs from x->captured and its attribution.
 * False if the arena is full. */
bool graph_capture_learn(const struct attribution *x);

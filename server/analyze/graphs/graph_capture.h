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
#include <string.h>

/* The key of a graph: a hash of its kernels' names in any order. `names` are ids,
 * which it sorts. */
void graph_capture_key(const struct names *texts, uint32_t *names, uint32_t n,
	uint8_t key[32]);

/* By key, then content. */
int graph_capture_compare(const struct graph_known *a,
	const struct graph_known *b);

/* Whether a kernel is the runtime's own, which does a graph's copies and sets: a
 * capture does not show it as a launch. */
static inline bool graph_capture_is_runtime_kernel(const char *kernel)
{
	return strncmp(kernel, "__amd_rocclr_", strlen("__amd_rocclr_")) == 0;
}

/* Fills x->captured and what is beside it, with no operators yet; call_of is set.
 * False if the arena is full. */
bool graph_captures_find(struct attribution *x);

/* Fills the profile's learned graphs from x->captured and its attribution.
 * False if the arena is full. */
bool graph_capture_learn(const struct attribution *x);

/* graph_capture.h - the launches that stream captures recorded, and the graphs
 * learned from them.
 *
 * While a thread captures a stream, its launches run nothing: they become nodes
 * of a graph. A launch of another thread belongs to the capture if no other
 * capture is open at that time and if the launch ran no kernel.
 *
 * Incomplete captures are left out: captures that begin or end outside the
 * trace, that contain a launch without a kernel name, or that contain another
 * graph. */
#pragma once
#include "attribution.h"
#include "operators.h"
#include "trace.h"
#include <string.h>

/* Computes the key of a graph: a hash of its kernels' names that does not
 * depend on their order. Sorts `names`, which are ids of `texts`. */
void graph_capture_key(const struct names *texts, uint32_t *names, uint32_t n,
	uint8_t key[32]);

/* Orders graphs by key, then by content. */
int graph_capture_compare(const struct graph_known *a,
	const struct graph_known *b);

/* Whether the ROCm runtime launches this kernel itself, for the copies and sets
 * of a graph. A capture contains no launch of such a kernel. */
static inline bool graph_capture_is_runtime_kernel(const char *kernel)
{
	return strncmp(kernel, "__amd_rocclr_", strlen("__amd_rocclr_")) == 0;
}

/* Fills x->captured and the arrays parallel to it; operators are not set yet.
 * x->call_of must be set. False if the arena is full. */
bool graph_captures_find(struct attribution *x);

/* Fills the profile's learned graphs from x->captured and its attribution.
 * False if the arena is full. */
bool graph_capture_learn(const struct attribution *x);

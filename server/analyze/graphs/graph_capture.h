/* graph_capture.h - the launches that stream captures recorded, the graphs
 * learned from them, and the alignment of replays with such graphs.
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
#include "graph_sketch.h"
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

/* graph_align.c: the alignment of a replay with a capture that differs from it
 * by a few kernels.
 *
 * A trace may lack a record, so a replay and its capture may differ although
 * the graph is the same. Their distance is the number of kernels that a longest
 * common subsequence leaves unmatched on both sides. There may be several
 * longest common subsequences: "may" means in one of them at least.
 * graph_sketch.h gives the largest distance of a match. */

/* Ids of kernel names; equal ids mean equal names. */
struct graph_sides {
	const uint32_t *captured, *replayed;
	uint32_t captured_n, replayed_n;
};

struct graph_alignment {
	struct graph_sides of;
	uint32_t distance;
	/* by kernel of the replay, then diagonal: the distance of what precedes
	 * and of what follows */
	uint8_t *before, *after;
	bool *extra; /* by kernel of the replay: it may be unmatched */
	bool *missing; /* by kernel of the capture: it may be unmatched */
	bool replaced; /* the replay may have another kernel in the place of a
		captured one */
};

/* The distance of the sides; GRAPH_DISTANCE_FAR if it is greater than `max`,
 * which is at most GRAPH_DISTANCE_MOST. */
uint32_t graph_distance(const struct graph_sides *s, uint32_t max);

/* `distance` is the distance of the sides. The arrays are the arena's. False if
 * it is full. */
bool graph_align(struct graph_alignment *g, const struct graph_sides *s,
	uint32_t distance, struct arena *a);

/* Whether kernel i of the replay may match kernel j of the capture. |i - j| is
 * at most the distance. */
bool graph_align_match(const struct graph_alignment *g, uint32_t i, uint32_t j);

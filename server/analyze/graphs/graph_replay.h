/* graph_replay.h - the kernels that each launch of a graph caused.
 *
 * They share the launch's correlation. Without the call in the trace, kernels
 * that name a node of a graph or share a correlation are of a replay, too. The
 * runtime's own kernels, which do a graph's copies and sets, are left out: a
 * capture does not show them as launches. */
#pragma once
#include "trace.h"

struct graph_replays {
	uint32_t *kernel; /* by replay, then start: kernel row of the process,
		from 0 */
	uint32_t *from; /* replay r's are kernel[from[r]]…kernel[from[r + 1]] */
	uint32_t *call; /* by replay: the launch, or CORRELATION_NONE */
	uint32_t *sequence; /* by replay: id in `sequences` */
	struct names sequences; /* names of kernels in order, as uint32_t */
	uint32_t n;
};

/* `call_of` as in correlation.h. False if the arena is full. */
bool graph_replays_find(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct arena *a, struct graph_replays *out);

/* Whether a kernel is the runtime's own. */
bool graph_replay_own(const char *kernel);

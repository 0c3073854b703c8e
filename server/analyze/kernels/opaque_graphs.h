/* opaque_graphs.h - replays of CUDA graphs that were recorded whole.
 *
 * Their kernels are in no table; what is known is how long each replay took.
 * A run with such replays says so as loudly as a note can. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->graph_stats and adds the note; graphs, graph_ns and kernel_ns are
 * there already. False if the arena is full. */
bool opaque_graphs_from(const struct trace *t, struct slice rows,
	struct profile *p);

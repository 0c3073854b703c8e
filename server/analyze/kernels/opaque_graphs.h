/* opaque_graphs.h - replays of CUDA graphs that the trace records without their
 * kernels.
 *
 * Only the duration of each replay is known: its kernels are in no table. Every
 * run with such replays gets a note. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->graph_stats and adds the note. p->graphs, p->graph_ns and
 * p->kernel_ns must be set. False if the arena is full. */
bool opaque_graphs_from(const struct trace *t, struct slice rows,
	struct profile *p);

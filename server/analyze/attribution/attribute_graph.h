/* attribute_graph.h - kernels known by their place in a CUDA graph.
 *
 * A stream capture shows launches with kernel names, operators and dims, and
 * runs nothing; a replay shows kernels, and only one call for all of them. Both
 * have the same names in the same order, which is what joins them.
 *
 * Learnt are captures that are whole: begun and ended in the trace, each launch
 * with its kernel's name, no graph within the graph. Launches of other threads
 * belong to a capture where it is the only one open and they ran nothing.
 *
 * A replay is all kernels that one graph launch caused, in order of start, but
 * for the runtime's own (copies and sets that run as kernels). Of the captures
 * with its names, those of this run count before those of others, and those in
 * its order before those in another (streams of a graph may overtake each
 * other). Where several remain, the step around the launch may tell which: the
 * sizes grow with the tokens they were captured for, and engines take the least
 * that holds the step's. Otherwise only what all of them agree on is told. */
#pragma once
#include "attribution.h"

/* Fills x->captured; to be called before any way of knowing. */
bool attribute_captures(struct attribution *x);
/* Learns from what of_captured knows, fills the replayed launches that nothing
 * knows yet, and counts. False where the arena is full. */
bool attribute_graphs(struct attribution *x);

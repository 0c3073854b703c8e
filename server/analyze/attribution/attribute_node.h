/* attribute_node.h - kernels of CUDA graphs known by what was open around their
 * nodes.
 *
 * Ranges exist while a graph is captured and not when it is replayed, so a
 * collector keeps with each node the ranges that were open when it was made
 * (rows `node` of the trace). A replayed kernel that names its node is what the
 * innermost of these says that says anything; one further out may add the sizes
 * of the same operator. As around launches, a range that calls a collective
 * something else tells nothing.
 *
 * Kernels of one replay and stream that follow each other and whose nodes have
 * the same ranges open, from the telling one outward, are one call: emit_nvtx
 * numbers its ranges, so that two calls differ. */
#pragma once
#include "attribution.h"

/* KNOWN_NODE, where nothing is known yet. False where the arena is full. */
bool attribute_nodes(struct attribution *x);

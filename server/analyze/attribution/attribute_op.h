/* attribute_op.h - launches known by the host operator that made the call.
 *
 * It is the innermost operator open on the call's thread when the call began
 * that the catalogue knows; its sizes are its own, or where it tells no dims
 * those of one around it that stands for the same operator. A launch without
 * such a call is joined by its External id, in files whose kernels tell more
 * there than their correlation again. Kernels that a graph replays have only
 * the graph's launch for a call: no operator comes from it.
 *
 * Inductor's Triton kernels are host operators of the kernel's own name: what
 * the name's rule says, with the dims told. The rule is left to decide where it
 * says that a kernel is a collective and the operator is none (aten::copy_
 * around an exchange) or the other way about, and where the kernel is work of
 * its own below the operator (catalog_fit: routing below experts). */
#pragma once
#include "attribution.h"

/* Whether a launch, by kernel row of the process, was replayed by a graph. */
bool attribute_replayed(const struct attribution *at, uint32_t i);

/* All launches, and calls captured for a graph, that have no operator yet.
 * False where the arena is full. */
bool attribute_op(struct attribution *at);

/* kernel_groups.h - kernels that are launched together wherever they occur.
 *
 * Examples: a GEMM and its split-K reduction; the preparing, computing and
 * combining kernels of FlashAttention. That one follows the other is not
 * enough, because a layer's kernels do so as often as it repeats. There must be
 * evidence that they are one call (a chain) or that they are called from
 * different places (a habit); kernel_groups.c explains both.
 *
 * The shape of a chain is a group if one of its members, which binds it, is in
 * chains in 90 % of its launches: a GEMM may come without a reduction, but no
 * reduction without its GEMM, be it one of several. That share is the group's
 * confidence. A shape with fewer than 5 % of the launches of the member that
 * binds it is noise, and so is a shape that occurred once. */
#pragma once
#include "attribution.h"
#include "profile.h"

enum { KERNEL_GROUPS_MOST = 1000 }; /* those with most time are kept */

/* (*group_of)[row], by kernel row of the process: index into out->groups, or
 * UINT32_MAX; release it with arena_drop(). Returns false if the arena is
 * full. */
bool kernel_groups_from(const struct attribution *at, struct kernel_groups *out,
	uint32_t **group_of);

/* kernel_groups.h - kernels that are launched together wherever they are.
 *
 * A GEMM and its split-K reduction; what FlashAttention prepares, does and
 * combines. Following each other is not enough, a layer's kernels do that as often
 * as it repeats: something must tell that it is one call (kernel_chain.h), or that
 * it comes from different places (kernel_habit.h).
 *
 * A shape of chain is a group where one of its members, which binds it, is in
 * chains in 90 % of its launches: a GEMM may come without a reduction, but no
 * reduction without its GEMM, be it one of several. That share is the group's
 * confidence. Shapes in fewer than 5 % of the launches of what binds them are
 * noise; so are those that came but once. */
#pragma once
#include "attribute_launch.h"
#include "profile.h"

enum { KERNEL_GROUPS_MOST = 1000 }; /* those of most time are kept */

/* *group_of, by kernel row of the process: index into out->groups, or UINT32_MAX;
 * to be dropped. False where the arena is full. */
bool kernel_groups_from(const struct attribution *at, struct kernel_groups *out,
	uint32_t **group_of);

/* kernel_groups.h - finds kernels that are launched together wherever they
 * occur.
 *
 * Examples: a GEMM and its split-K reduction; the preparing, computing and
 * combining kernels of FlashAttention. It is not enough that one kernel always
 * follows another: all kernels of a repeated layer do. A group needs evidence
 * that one operator call launched its kernels (a chain), or that the kernels
 * follow each other at different places of the program (a habit).
 * kernel_groups.c explains both.
 *
 * The shape of a chain is the list of its kernels. A shape is a group if at
 * least one of its kernels, the binding one, has 90 % of its launches in
 * chains. For example, a GEMM may occur without a split-K reduction, but the
 * reduction never occurs without a GEMM. That share is the group's confidence.
 * A shape is ignored as noise if it occurred once, or at most twice if the
 * catalog ties most of its chains. It is also ignored if it has fewer than 5 %
 * of the launches of its binding kernel. */
#pragma once
#include "attribution.h"
#include "profile.h"

enum { KERNEL_GROUPS_MOST = 1000 }; /* the groups with most time are kept */

/* (*group_of)[row] is, for each kernel row of the process, an index into
 * out->groups or UINT32_MAX. The caller releases the array with arena_drop().
 * Returns false if the arena is full. */
bool kernel_groups_from(const struct attribution *at, struct kernel_groups *out,
	uint32_t **group_of);

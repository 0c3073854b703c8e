/* kernel_habit.h - kernels that follow each other wherever they are, between
 * different neighbours.
 *
 * A layer's kernels follow each other, too, as often as it repeats; what is called
 * from different places has different kernels before it and behind it. So each of
 * a row of kernels must be followed by the next in nearly all launches of both,
 * and at either end there must be HABIT_NEIGHBOURS that come often enough. Longer
 * rows than HABIT_MOST are a part that layers share. */
#pragma once
#include "kernel_chain.h"

enum { HABIT_MOST = 4, HABIT_NEIGHBOURS = 3, HABIT_LEAST = 8 };

struct kernel_habit {
	uint32_t kernels[HABIT_MOST];
	uint32_t n;
};

/* Of launches that no entry of `taken` (by row, CHAIN_NONE) has and no call is
 * known of. *out is of `a`, as all of it. False where the arena is full. */
bool kernel_habits_from(const struct kernel_chains *c, const uint32_t *taken,
	struct arena *a, struct kernel_habit **out, uint32_t *n);

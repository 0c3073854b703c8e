/* proof.h - rows whose cycles or runs can be permuted: figures and classes.
 *
 * Every row is looked at twice, as it is and freed from what all kernels have in
 * common. A family-wise p is permuted for the freed one; what it finds must hold
 * of the row as it is too, at a level shared among all that were found. So a
 * clock's change accuses neither the kernels that follow it nor those that do
 * not. */
#pragma once
#include "common_factor.h"

/* Cycles of a side, or blocks of them, below which nothing is proven: beside one
 * of each unit but the first, which goes with what units differ by. */
enum { PROOF_CYCLES_MIN = 3 };

/* `changes`: base_ns to ratio are filled, and the class of those rows that are
 * the same on both sides. False where the arena is full. */
bool proof_from(const struct verdict_input *in, enum evidence by,
	const struct common *c, struct arena *a, struct change *changes,
	struct common_factor *told, uint32_t *block);

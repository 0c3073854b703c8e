/* few_iterations_test.h - the verdict if there are too few iterations to
 * permute: did all launches change?
 *
 * A row is *likely* changed if its launches' mean changed by more than runs
 * differ, and one of two holds: there are at least four launches per side and
 * every launch of one side took longer than the other's of the same rank by
 * length (if ranks are unknown, than every launch of the other); or its time
 * differs by more than hardly any two runs do. A row appeared or vanished if
 * one side never ran it and the other did in every iteration. Nothing is
 * permuted: p, p_family and q are NaN. */
#pragma once
#include "common_factor.h"

/* `changes`: base_ns to ratio are filled, and so is the class of rows that
 * are identical on both sides. */
void few_iterations_test(const struct verdict_input *in,
	const struct common_estimate *c, struct change *changes);

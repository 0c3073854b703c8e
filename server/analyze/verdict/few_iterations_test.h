/* few_iterations_test.h - what can be said of too few cycles: did all launches move?
 *
 * A row is *likely* changed where every launch of one side took longer than
 * that of the other which has its place by length (without those: than every
 * launch of the other) and there are four a side; or where its time is off by what
 * hardly any run is; and their mean moved beyond what runs differ by;
 * appeared or vanished where one side never ran it and the other did in every
 * cycle. Nothing is permuted: p, p_family and q are NaN. */
#pragma once
#include "common_factor.h"

/* `changes`: base_ns to ratio are filled, and the class of those rows that are
 * the same on both sides. */
void launched(const struct verdict_input *in, const struct common *c,
	struct change *changes);

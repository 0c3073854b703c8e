/* iteration_strata.h - which cycles did the same work.
 *
 * A cycle's signature is the first of these that it has:
 *
 *  - what a serving engine wrote into its name, or into the one range of that
 *    kind that began while it lasted: phase, requests, tokens (cycle_serving.h);
 *  - the dims of its operators that multiply matrices or convolve;
 *  - the grids of its kernels.
 *
 * Cycles are of one stratum where their signatures are of one kind and equal,
 * or, of the latter two, share 90 % (the weighted Jaccard index of the
 * multisets). 60 % is enough where names and counts agree to 97 %: in decode,
 * what attends to a growing context changes its sizes, and everything else
 * keeps them; of another batch everything changes. */
#pragma once
#include "iteration_items.h"

enum {
	CYCLE_STRATA_MAX = 1000, /* what would be more is one, "other work" */
	CYCLE_STRATA_TRIED =
		64, /* that a cycle equal to none is held against */
};

/* Makes p->cycles.strata, in order of first sight, and sets their cycles'
 * stratum; counts no kept cycles yet. `a` is for scratch, but for what is p's.
 * False where memory is full. */
bool cycle_strata_find(const struct cycle_gpu *g, const struct cycle_items *ops,
	const struct cycle_items *grids, struct profile *p, struct arena *a);

/* Counts kept cycles, and puts the strata that have most first. */
bool cycle_strata_sort(struct cycles *c, struct arena *a);

/* contrast.h - one row's difference between the sides, and what it may be by
 * chance.
 *
 * Two kinds of chance: of the cycles, told by blocks (`var`), and of the run,
 * told by the floor (`run_var`), each with degrees of freedom of its own. The
 * first is moderated: a prior that counts as `prior_df` blocks is mixed in, so
 * that a handful of blocks that happen to agree proves nothing. */
#pragma once
#include "blocks.h"

struct contrast {
	double base, head; /* means of the blocks' means */
	double delta, mean; /* head - base, and between them */
	double sd; /* of all blocks about their mean: 0 where all are equal */
	double within; /* variance of the difference, as blocks tell it */
	double var, df; /* the same, moderated */
	double run_var, run_df;
	/* What var was made with: prior is a variance of the difference; var is
	 * never below `least`. */
	double prior, prior_df, least;
};

/* Fills all but the moderated part from the blocks' means. */
struct contrast contrast_of(const double *means, const struct blocks *b);

/* The chance that somebody's prior is mixed into; needs those fields set. */
void contrast_moderate(struct contrast *c, const struct blocks *b);

/* Two-sided p of a difference as far from 0, as t tells it: never less than
 * cycles or runs alone would give. */
double contrast_p(const struct contrast *c);

/* The same, had runs no effect: the difference between these two processes. */
double contrast_noise_p(const struct contrast *c);

/* Half of the 95 % interval's width, where `half` is that of chance among
 * cycles; contrast_noise_half() is the one t tells. */
double contrast_half(const struct contrast *c, double half);
double contrast_noise_half(const struct contrast *c);

/* contrast.h - the difference of one row between the sides, and what chance can
 * make of it.
 *
 * There are two kinds of chance: between iterations, measured by blocks (`var`),
 * and between runs, given by the noise floor (`run_var`). Each has degrees of
 * freedom of its own. The first is moderated: a prior that counts as `prior_df`
 * blocks is mixed in, so that a handful of blocks that happen to agree proves
 * nothing. */
#pragma once
#include "blocks.h"

struct contrast {
	double base, head; /* means of the blocks' means */
	double delta, mean; /* head - base, and half their sum */
	double sd; /* of all blocks about their mean: 0 if all are equal */
	double within; /* variance of the difference, measured by blocks */
	double var, df; /* the same, moderated */
	double run_var, run_df;
	/* Inputs of the moderation: `prior` is a variance of the difference; var
	 * is at least `min_var`. */
	double prior, prior_df, min_var;
};

/* Fills all but the moderated part from the blocks' means. */
struct contrast contrast_of(const double *means, const struct blocks *b);

/* Mixes the prior into the variance; prior, prior_df and min_var are set. */
void contrast_moderate(struct contrast *c, const struct blocks *b);

/* Two-sided p of a difference as far from 0, by Student's t: at least the p of
 * iterations alone and at least that of runs alone. */
double contrast_p(const struct contrast *c);

/* The same if runs had no effect: the difference between these two processes. */
double contrast_noise_p(const struct contrast *c);

/* Half the width of the 95 % interval. `half` is that of chance between
 * iterations; contrast_noise_half() returns the one of Student's t. */
double contrast_half(const struct contrast *c, double half);
double contrast_noise_half(const struct contrast *c);

/* The Hodges-Lehmann shift: the median of all differences head - base. Its
 * interval holds the differences that a rank-sum test does not reject at 5 %. If
 * there are too many pairs, evenly spaced quantiles of each side replace its
 * values. */
enum { CONTRAST_PAIRS = 1 << 12, CONTRAST_RANKS_MIN = 8 };

struct contrast_shift {
	double at;
	/* Distances to both ends of the interval; NaN if a side has fewer than
	 * CONTRAST_RANKS_MIN values: ranks of so few say little. */
	double below, above;
};

/* Sorts both sides; `pairs` has room for CONTRAST_PAIRS. */
struct contrast_shift contrast_shift_of(double *base, uint32_t base_n,
	double *head, uint32_t head_n, double *pairs);

/* permutation_test.h - the largest difference of any row that chance produces.
 *
 * A split exchanges blocks between the sides. It moves the blocks of all rows
 * together, so that the correlation between rows is preserved. For every split,
 * the statistic of each row is studentized again (after Chung and Romano, Exact
 * and asymptotically robust permutation tests, 2013), and a random run effect
 * from Student's t is added. The observed statistic of a row is compared with
 * the largest statistic of all rows in each split, which gives a family-wise
 * p. */
#pragma once
#include "common_factor.h"

/* A block is a sequence of iterations that can be exchanged with another
 * block. */
struct blocks_range {
	uint32_t from, to; /* iterations of its side */
	uint32_t unit;
};

struct blocks {
	uint32_t length; /* iterations; 0 if blocks are units */
	uint32_t base_n, head_n;
	const struct blocks_range *base, *head;
	/* Degrees of freedom used for the differences between units of a
	 * side. */
	uint32_t base_lost, head_lost;
	/* Factor by which the deviation of a mean difference is greater than
	 * the blocks show. */
	double widen;
};

/* Degrees of freedom of the blocks' variance, of both sides. */
static inline double blocks_df(const struct blocks *b)
{
	return (double)b->base_n + b->head_n - 2 - b->base_lost - b->head_lost;
}

/* The difference of one row between the sides, and its variance by chance. */
struct contrast {
	double base, head; /* means of the blocks' means */
	double delta, mean; /* head - base, and half their sum */
	double sd; /* of all blocks about their mean: 0 if all are equal */
	double within; /* variance of the difference, measured by blocks */
	double var, df; /* the moderated variance of the difference */
	double run_var, run_df;
	/* Inputs of the moderation: `prior` is a variance of the difference; var
	 * is at least `min_var`. */
	double prior, prior_df, min_var;
};

/* verdict.c: the two-sided p of a contrast; half the width of its 95 % interval,
 * where `half` is that of chance between iterations. */
double verdict_contrast_p(const struct contrast *c);
double verdict_contrast_half(const struct contrast *c, double half);

struct permutation_row {
	const struct contrast *contrast;
	bool counts; /* verdict_classify_eligible(): the row belongs to the family */
	double p; /* out: family-wise */
};

/* Fills the means of a row's blocks. */
typedef void permutation_means(void *of, uint32_t row, double *means);

/* False if the arena is full. */
bool permutation_test(const struct blocks *b, struct permutation_row *rows,
	uint32_t n, permutation_means *means, void *of, uint32_t permutations,
	uint64_t seed, struct arena *a);

/* The splits: which blocks are exchanged. Either all possible ways, or many
 * random ones. */
struct permutation_splits {
	uint32_t chosen; /* blocks of the side that has fewer */
	uint32_t n;
	const uint32_t *sets; /* [n][chosen], indices of blocks */
	const uint32_t *own; /* the observed blocks of this side */
	bool exact; /* the sets are all possible ways, each once */
};

/* Lists all ways if there are at most `permutations` and `may_all` is set, else
 * random ones. False if the arena is full. */
bool permutation_test_splits(const struct blocks *b, uint32_t permutations,
	bool may_all, uint64_t seed, struct arena *a,
	struct permutation_splits *out);

/* Ways to choose k of n; UINT32_MAX if there are as many or more. */
uint32_t permutation_test_ways(uint32_t n, uint32_t k);

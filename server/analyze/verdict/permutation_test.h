/* permutation_test.h - the largest difference that chance makes of any row.
 *
 * Blocks change sides, those of all rows together, so that what rows share stays
 * shared. Each row's statistic is studentised anew every time (after Chung and
 * Romano, Exact and asymptotically robust permutation tests, 2013), and a run
 * effect is drawn for it from t. The largest of all rows is what a row's own
 * statistic is held against: a family-wise p. */
#pragma once
#include "contrast.h"

struct permute_row {
	const struct contrast *contrast;
	bool counts; /* it could be accused, and so belongs to the family */
	double p; /* out: family-wise */
};

/* Fills the means of a row's blocks. */
typedef void permute_means(void *of, uint32_t row, double *means);

/* False where the arena is full. */
bool permute_from(const struct blocks *b, struct permute_row *rows, uint32_t n,
	permute_means *means, void *of, uint32_t permutations, uint64_t seed,
	struct arena *a);

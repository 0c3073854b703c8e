/* change_point.h - where a series changed its level, and whether that is real.
 *
 * The series is cut where the means on both sides differ most, of the whole or of
 * a part of it, tried by permuting it, and both parts are looked at again, until no
 * cut is left whose p is within alpha; then each cut is moved to the best place
 * between its neighbours and tried once more between them, and those that no longer
 * hold are dropped. Points of one group (runs of one commit) stay together: a cut
 * falls between groups, and groups are what is permuted, as values of a group are
 * not independent; a stretch has two groups or more. Robust: a value counts as no
 * further from the five groups around it than three deviations, which neighbours
 * tell, so that a lone point, or a lone group, that is far out is no change. Of more
 * than 512 groups those beside each other are permuted together. After Page, 1954;
 * Matteson and James, A nonparametric approach for multiple change point analysis,
 * 2014; Kovács and others, Seeded binary segmentation, 2020.
 *
 * Pure and deterministic for a seed; n = 50,000 takes well under a second. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

struct change_point {
	uint32_t at; /* the first point of the new level */
	double before, after; /* median of the stretch before it, and behind */
	double ratio, low, high; /* after / before, 95 % interval */
	double p;
};

struct change_options {
	double alpha; /* 0.01, of each cut */
	double least; /* relative: smaller ones are not told; 0.01 */
	uint32_t least_points; /* of a stretch: 3 */
	uint32_t permutations; /* 999 */
	uint64_t seed; /* 1 */
};
#define CHANGE_OPTIONS                \
	{                             \
		0.01, 0.01, 3, 999, 1 \
	}

/* x[n] without NaN, in order of time; group[n] ascending numbers, NULL: each
 * point is its own. *out is the arena's, in order. False where memory ends. */
bool change_points_from(const double *x, const uint32_t *group, uint32_t n,
	const struct change_options *o, struct arena *a,
	struct change_point **out, uint32_t *out_n);

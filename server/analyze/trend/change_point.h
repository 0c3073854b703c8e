/* change_point.h - where a series changed its level, and how sure that is.
 *
 * The series is cut where the means on both sides differ most, in the whole or in
 * a part of it. The cut is tested by permutation, and both parts are searched
 * again, until no cut has a p of at most alpha. Then each cut is moved to the best
 * place between its neighbors and tested again between them; cuts that no longer
 * hold are dropped. Points of one group (runs of one commit) stay together: a cut
 * falls between groups, and groups are what is permuted, because values of a group
 * are not independent. A stretch has two groups or more. The distance of a value
 * to the five groups around it counts as three deviations at most, estimated from
 * neighbors, so that a single outlier, point or group, is not a change. If there
 * are more than 512 groups, neighboring ones are permuted together. After Page,
 * 1954; Matteson and James, A nonparametric approach for multiple change point
 * analysis, 2014; Kovács and others, Seeded binary segmentation, 2020.
 *
 * Pure and deterministic for a seed; n = 50,000 takes well under a second. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

struct change_point {
	uint32_t at; /* the first point of the new level */
	double before, after; /* medians of the stretches before and after it */
	double ratio, low, high; /* after / before, 95 % interval */
	double p;
};

struct change_options {
	double alpha; /* 0.01, of each cut */
	double min_change; /* relative: smaller changes are not reported; 0.01 */
	uint32_t min_points; /* of a stretch: 3 */
	uint32_t permutations; /* 999 */
	uint64_t seed; /* 1 */
};
#define CHANGE_OPTIONS                \
	{                             \
		0.01, 0.01, 3, 999, 1 \
	}

/* x[n] without NaN, in order of time; group[n] ascending numbers, NULL: each
 * point is its own. *out is the arena's, in order. False if memory is short. */
bool change_points_from(const double *x, const uint32_t *group, uint32_t n,
	const struct change_options *o, struct arena *a,
	struct change_point **out, uint32_t *out_n);

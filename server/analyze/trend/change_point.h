/* change_point.h - finds where the level of a series changed, with intervals.
 *
 * A cut divides the series, or a part of it, where the means on both sides
 * differ most. The cut is tested by permutation. Both parts are searched again,
 * until no cut has a p of at most alpha. Then each cut is moved to the best
 * position between its neighboring cuts and tested again between them. Cuts
 * that fail this test are dropped.
 *
 * Points of one group (runs of one commit) are not independent. So a cut is
 * always between groups, and whole groups are permuted. A segment between cuts
 * has at least two groups. The distance of a value from the five groups around
 * it is limited to three deviations, estimated from neighbors, so that a single
 * outlier (point or group) is not a change. If there are more than 512 groups,
 * neighboring groups are permuted together.
 *
 * After Page, 1954; Matteson and James, A nonparametric approach for multiple
 * change point analysis, 2014; Kovács and others, Seeded binary segmentation,
 * 2020.
 *
 * Measured (tests/sim, 200 series of 200 units with a noise of 1 % per row;
 * false change points per 1,000 units, in brackets if neighbors are taken as
 * independent (100 series)):
 *
 *   no change, AR 0; 0.3; 0.5; 0.8        0; 0.03; 0.15; 0.90 (0; 0.85; 6; 30)
 *   no change, AR 0.5, noise 1.2 %        0.20 (8.4)
 *   no change, AR 0.5, 50 units; 20       1.9; 3.0 (7.8; 8.5)
 *
 * Series of 20 to 50 units are too short to know their correlation well. Slow
 * correlation below independent noise is underestimated.
 *
 * Deterministic for a seed, without I/O. n = 50,000 takes well under a
 * second. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

struct change_point {
	uint32_t at; /* the first point of the new level */
	double before, after; /* medians of the segments before and after it */
	double ratio, low,
		high; /* after / before, 95 % interval, which is wider if
		neighbors are correlated */
	double p;
};

struct change_options {
	double alpha; /* of each cut. Default 0.01 */
	double min_change; /* relative; smaller changes are not reported.
		Default 0.01 */
	uint32_t min_points; /* of a segment. Default 3 */
	uint32_t permutations; /* default 999 */
	uint64_t seed; /* default 1 */
};
#define CHANGE_OPTIONS                \
	{                             \
		0.01, 0.01, 3, 999, 1 \
	}

/* x[n] is in order of time and contains no NaN. group[n] contains ascending
 * numbers; NULL: each point is a group of its own. *out is in order and belongs
 * to the arena. False if the arena is full. */
bool change_points_from(const double *x, const uint32_t *group, uint32_t n,
	const struct change_options *o, struct arena *a,
	struct change_point **out, uint32_t *out_n);

/* noise_floor.h - how much runs of the same work differ, for each function.
 *
 * The noise floor is the root of a moderated variance: s² = (d0·s0² + Σ
 * d_g·s_g²) / (d0 + Σ d_g), summed over groups g of repeats. s0 is the default
 * (3 %), with the weight of d0 = 4 observations. A group is a set of stored
 * runs that repeat each other, or the units of a compared side. s_g² is the
 * variance of the logarithms of times, estimated from neighbors in time with
 * d_g degrees of freedom (successive_diff.h). After Smyth, Linear models and
 * empirical Bayes methods, 2004. A floor given by the user is used unchanged
 * and without uncertainty. */
#pragma once
#include "compare.h"
#include "successive_diff.h"

#define NOISE_FLOOR_DEFAULT_SD 0.03
#define NOISE_FLOOR_DEFAULT_DF 4.0
/* Only the first runs of a group are used. */
enum { NOISE_FLOOR_RUNS_MAX = SUCCESSIVE_DIFF_MAX };

struct noise_floor {
	double sd, df; /* df is INFINITY if given */
	enum floor_source from;
};

/* The floor of a function by name, or of all functions together if NULL. `given`
 * is compare_options.floor. */
struct noise_floor noise_floor_of(const struct repeats *r, const char *name,
	double given);

/* Updates a floor with the variance of a series of logarithms. The source of a
 * default floor becomes FLOOR_LEARNED. A given floor does not change. */
void noise_floor_update(struct noise_floor *f,
	const struct successive_diff *own);

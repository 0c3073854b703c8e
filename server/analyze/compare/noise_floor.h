/* noise_floor.h - how much runs of the same work differ, function by function.
 *
 * A moderated variance: s² = (d0·s0² + Σ d_g·s_g²) / (d0 + Σ d_g) over groups g of
 * repeats, s0 the stated default (3 %) that counts as d0 = 4 observations. A group
 * are stored repeats of each other, or the units of a side that is compared. Within
 * it s_g² is of the logarithms of neighbours in time, and worth d_g: near.h. After
 * Smyth, Linear models and empirical Bayes methods, 2004. A floor that somebody
 * gives is taken as it is, and as known. */
#pragma once
#include "compare.h"
#include "successive_diff.h"

#define NOISE_FLOOR_DEFAULT_SD 0.03
#define NOISE_FLOOR_DEFAULT_DF 4.0
/* Of a group, the first so many that are told. */
enum { NOISE_FLOOR_RUNS_MAX = SUCCESSIVE_DIFF_MAX };

struct noise_floor {
	double sd, df; /* df INFINITY where given */
	enum floor_source from;
};

/* Of a function by name, NULL all of them together; `given` as
 * compare_options.floor. */
struct noise_floor noise_floor_of(const struct repeats *r, const char *name,
	double given);

/* The same where a series of logarithms is known as well. A default that hears
 * of one is no default any more. */
void noise_floor_update(struct noise_floor *f, const struct successive_diff *own);

/* floor.h - how much runs of the same work differ, function by function.
 *
 * A moderated variance: s² = (d0·s0² + Σ d_g·s_g²) / (d0 + Σ d_g) over groups g of
 * repeats, s0 the stated default (3 %) that counts as d0 = 4 observations. Within a
 * group s_g² is of the logarithms of neighbouring runs in time: half the squared
 * difference, of three and more their median / 0.4549. A change of the code that is
 * stored among them is one such difference, and does not become what runs differ
 * by. d_g is what such a variance is worth: 1, 4/3, then 0.4 a difference. After
 * von Neumann, The mean square successive difference, 1941; Smyth, Linear models
 * and empirical Bayes methods, 2004. A floor that somebody gives is taken as it
 * is, and as known. */
#pragma once
#include "compare.h"

#define FLOOR_DEFAULT_SD 0.03
#define FLOOR_DEFAULT_DF 4.0
/* Of a group, the first so many that are told. */
enum { FLOOR_RUNS_MAX = 256 };

struct run_floor {
	double sd, df; /* df INFINITY where given */
	enum floor_source from;
};

/* Of a function by name; `given` as compare_options.floor. */
struct run_floor floor_of(const struct repeats *r, const char *name,
	double given);

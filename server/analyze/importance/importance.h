/* importance.h - each operator's weight across many runs, with an interval.
 *
 * w_time = sum g t / sum g T; w_mean = mean of t/T with absent as 0; w_present =
 * mean over the runs that contain it (definitions.md 2.5). Headroom = sum over
 * shapes of time * (1 - S) above the launch floor, over all time; collectives
 * have none. Intervals: bootstrap of workloads (percentiles of resampled ratios,
 * seeded). With fewer than IMPORTANCE_CLUSTERS workloads there is a reason instead
 * of an interval. Runs of one workload resemble each other, so resampling single
 * runs would show a precision that does not exist. */
#pragma once
#include "catalog.h"
#include "fleet.h"

enum { IMPORTANCE_CLUSTERS = 8, IMPORTANCE_DRAWS = 1000 };

/* `weight` is any but WEIGHT_PUBLISHED. The same fleet, weight and seed give the
 * same bytes. `c` has which operators are unspecific and which are collectives. */
void importance_from(const struct fleet *f, enum importance_weight weight,
	const struct catalog *c, uint64_t seed, struct arena *a,
	struct importance *out);

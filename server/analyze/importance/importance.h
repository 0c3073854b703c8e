/* importance.h - each operator's weight across many runs, with an interval.
 *
 * t is the operator's GPU time in a run, T all GPU time of that run and g the
 * weight of the run:
 *
 *   w_time     sum of g t / sum of g T
 *   w_mean     mean of t/T over all runs; 0 in runs without the operator
 *   w_present  mean of t/T over the runs that contain the operator; the
 *              published importance of Atrex-Bench fits this formula
 *   energy     sum of the operator's energy / sum of E, over the runs whose
 *              energy is known; E is g times the mean power of a GPU of the run.
 *              How it is divided within a run: store/fleet/query_fleet.c
 *   headroom   sum over shapes of time * (1 - S), without the launch floor,
 *              divided by all time. S of a collective is against the link. Its
 *              time on one rank includes waiting for other ranks, which no
 *              faster link saves: its headroom is an upper bound. Only the
 *              traces of all ranks together show the waiting (ranks.h)
 *
 * An interval is a seeded bootstrap over workloads: percentiles of the
 * resampled ratios. With fewer than IMPORTANCE_CLUSTERS workloads the result is
 * a reason instead of an interval. Single runs are not resampled: runs of one
 * workload resemble each other, so the interval would look more precise than it
 * is. */
#pragma once
#include "catalog.h"
#include "fleet.h"

enum { IMPORTANCE_CLUSTERS = 8, IMPORTANCE_DRAWS = 1000 };

/* `weight` must not be WEIGHT_PUBLISHED. The same fleet, weight and seed give
 * the same bytes. The catalog `c` says which operators are unspecific and which
 * are collectives. */
void importance_from(const struct fleet *f, enum importance_weight weight,
	const struct catalog *c, uint64_t seed, struct arena *a,
	struct importance *out);

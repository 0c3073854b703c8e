/* importance_interval.h - how sure shares are, by drawing workloads anew.
 *
 * A share of operator o is sum num[k][o] / sum den over workloads k. A draw takes
 * as many workloads as there are, each as likely as the others, some of them more
 * than once; the interval is from the 2.5th to the 97.5th percentile of the
 * draws' shares (Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
 * 13.3), interpolated linearly. */
#pragma once
#include "arena.h"
#include <stdint.h>

struct importance_shares {
	uint32_t clusters, operators; /* at least one of each */
	const double *num; /* clusters x operators */
	const double *den; /* the same where `own`, else one a cluster */
	bool own;
};

/* low[] and high[] are by operator; NaN where a draw had nothing to divide by
 * in more than one of 20. */
void importance_interval_from(const struct importance_shares *in,
	uint32_t draws, uint64_t seed, struct arena *scratch, double *low,
	double *high);

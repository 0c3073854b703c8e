/* rank_steps.h - the ranks of a job over time: how long each computes and waits in
 * each iteration.
 *
 * Iteration i of one rank and iteration i of another are the same step of the
 * job, if both ranks have the same number of iterations, and the same label on
 * the first and on the last of them. The ranks that agree with most others are
 * matched; of several such groups the one with the first rank. Each other rank is
 * excluded, with a reason. Warm-up iterations are included. */
#pragma once
#include "ranks.h"

/* More iterations are put into bins, so that a map fits on a screen: cells of 12
 * pixels are then 720 wide. */
enum { RANK_STEPS_BINS = 60 };

/* A rank computes long in a bin, if it does so for longer than the median of the
 * matched ranks by more than 3 MAD and this: the margin of operators in
 * rank_balance.h, and the default margin of comparisons. */
#define RANK_STEPS_LONGER 0.05

struct rank_step_line {
	const char *excluded; /* reason; NULL: matched */
	/* By bin, the mean per iteration; NULL if excluded. compute_ns is the
	 * time with a kernel that is no collective; waiting_ns is
	 * that of ranks_waiting(), NaN unknown. */
	double *dur_ns, *compute_ns, *waiting_ns;
	bool *longer; /* by bin: computes long */
};
struct rank_steps {
	struct rank_step_line *ranks; /* in the order of struct ranks */
	uint32_t matched; /* ranks */
	uint32_t iterations, bins;
	/* Bin b has the iterations from first[b] to first[b + 1] - 1. */
	uint32_t first[RANK_STEPS_BINS + 1];
	const struct iteration
		*names; /* of the first matched rank: the labels of
		all; NULL if no rank is matched */
	double median_ns[RANK_STEPS_BINS]; /* compute, of the matched ranks */
};

/* `runs` are those from which `r` was made. The arena must have no size limit. */
bool rank_steps_from(const struct compared_run *runs, const struct ranks *r,
	struct arena *a, struct rank_steps *out, struct err *e);

/* rank_balance.h - how evenly the ranks of a job are loaded: which ranks wait for
 * which others, and on which ranks an operator takes longer.
 *
 * The rank whose duration in a collective is the shortest arrived last, if the
 * ranks end together; the others wait for it (ranks.h). If several ranks arrive
 * last together, their waiting is for no rank. */
#pragma once
#include "operators.h"
#include "ranks.h"

/* A rank waits if it does so for more than this share of its recorded time. This
 * is the default margin of comparisons. */
#define RANK_BALANCE_WAITING 0.05

/* An operator is slow on a rank if the median rank has it, and it takes longer than
 * there by more than 3 MAD and RANK_BALANCE_LONGER, and by more than
 * RANK_BALANCE_SHARE of the rank's compute time. What few ranks have, such as the
 * embedding of the first pipeline stage, is not slow. If half of the ranks are slow,
 * 3 MAD is above their difference, so none of them is found; neither is one of two. In the four ranks of megatron-tp8, which do the same work,
 * operators of more than 1 ms take at most 1.2 % longer than on the median rank.
 * The one that differs most, by 3.6 %, does so by 0.02 % of the compute time. */
#define RANK_BALANCE_LONGER 0.05
#define RANK_BALANCE_SHARE 0.001

/* An operator without collectives: those contain waiting. */
struct rank_operator {
	const char *name; /* NULL: unattributed kernels */
	/* By rank, in the order of `ranks`; 0 if the rank does not have it, -1
	 * if the operators of the rank are unknown. */
	int64_t *total_ns, *launches;
	double median_ns; /* of the ranks that are known; NaN if there are none */
	double median_launches;
	bool *slow; /* by rank */
};

struct rank_balance {
	int64_t *waits_for_ns; /* by waiting rank, then by the rank that arrives
		last: at [waiting * ranks_n + last]; -1 if the waiting of the
		rank is unknown */
	double *waiting; /* by rank: the share of its recorded time; 0..1, NaN
		unknown */
	struct rank_operator *operators; /* by median time, descending */
	uint32_t operators_n;
	/* One sentence: which ranks wait, how long and mostly for which rank;
	 * which ranks compute longer than the others; which operators are slow
	 * on which rank. The others wait mostly for a rank if more than half of
	 * all waiting is for it. The ranks that wait are then those that mostly
	 * wait for this rank. */
	const char *headline;
	bool unbalanced; /* a rank waits, a rank computes longer, or an operator
		is slow on a rank */
};

/* `times` are those of the job's runs, sorted by name. The arena must have no
 * size limit. */
void rank_balance_from(const struct ranks *r,
	const struct run_operator_time *times, uint32_t n, struct arena *a,
	struct rank_balance *out);

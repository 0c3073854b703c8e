/* what_if.h - what a change of the work would save per iteration, with its assumptions.
 *
 * Each estimate is for one change alone. Estimates overlap, because two changes can
 * save the same time, so they are never added up. An estimate is the mean over the
 * kept iterations of
 *
 *   a CUDA graph        the idle time in which the API call of the next launch runs,
 *                       times the share of it in calls that launch no graph: what a
 *                       graph launches already is not saved. Only iterations count of which another one of the stratum has
 *                       the same number of launches, because a graph replays the same
 *                       launches. Host gaps stay, as far as the host must do this
 *                       work between launches.
 *   overlap             min(communication that nothing covers, computing that covers
 *                       no communication)
 *   a single overlap    the part of that of one collective, while it alone
 *                       communicates (analyze/collectives/collectives.c); the collective
 *                       with most of it
 *   a faster operator   share of the run's GPU time · busy time of the iteration. The
 *                       share is the operator's reachable headroom (to its fleet-best)
 *                       or its headroom (to its roofline bound)
 *   a fusion            what analyze/fusions/fusions.h computes of the pairs of two
 *                       shapes; the mean over the devices of the run. Pairs whose saved
 *                       traffic is unknown have no estimate. If the consumers of the
 *                       tensor are unknown, the fusion may be impossible: such estimates
 *                       are a kind of their own, and the last of the list
 *
 * The interval is that of the mean (95 %, Student's t), from the differences between
 * iterations; it does not include errors of the assumptions. With one iteration there
 * is none. */
#pragma once
#include "arena.h"
#include "operators.h"
#include "patterns.h"

struct what_if_operator {
	const char *name;
	enum dtype dtype;
	/* Shares of the run's GPU time, 0 to 1; NaN unknown. */
	double reachable, headroom;
};

enum what_if_change {
	WHAT_IF_GRAPH,
	WHAT_IF_OVERLAP,
	WHAT_IF_OVERLAP_ONE, /* a single collective */
	WHAT_IF_FLEET_BEST,
	WHAT_IF_ROOFLINE,
	WHAT_IF_FUSION,
	WHAT_IF_FUSION_UNKNOWN, /* with unknown consumers */
	WHAT_IF_CHANGES
};
/* "cuda_graph", "overlap", "overlap_collective", "fleet_best", "roofline", "fusion",
 * "fusion_consumers_unknown". */
extern const char *const what_if_word[WHAT_IF_CHANGES];

enum { WHAT_IF_ASSUMPTIONS = 3, WHAT_IF_OPERATORS = 3 };

struct what_if {
	enum what_if_change change;
	const char *of; /* operator, or kind of collective; NULL: none */
	enum dtype dtype; /* of the operator */
	const char *then; /* of a fusion: the second operator; else NULL */
	enum dtype then_dtype;
	double saved_ns, low_ns, high_ns; /* low and high: NaN with one
		iteration */
	double share; /* of the mean iteration, 0 to 1 */
	const char *text; /* a sentence with the number */
	const char *assumptions[WHAT_IF_ASSUMPTIONS]; /* what must be true */
};

struct what_if_input {
	const struct kept_iteration *iterations;
	uint32_t n;
	double mean_ns; /* of the iterations */
	/* Share of the time of WAIT_LAUNCH in calls that launch no graph, 0 to 1. */
	double single_launches;
	const struct what_if_operator *operators;
	uint32_t operators_n;
	const struct saved_fusion *fusions;
	uint32_t fusions_n; /* at most SAVED_FUSIONS of both kinds */
	const struct saved_collective *collective; /* NULL unknown */
};

/* The changes that save at least 0.05 % of an iteration, the largest first: at
 * most one of the first three kinds, and WHAT_IF_OPERATORS or SAVED_FUSIONS of the
 * others. False if the arena is full. */
bool what_if_from(const struct what_if_input *q, struct arena *a,
	struct what_if **out, uint32_t *out_n);

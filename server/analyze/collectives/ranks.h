/* ranks.h - the ranks of a job: how long each waits for the others.
 *
 * collective_pairs.h describes which calls of the ranks are one collective. The
 * shortest duration over the ranks is transfer time, as in AMD-AGI/TraceLens;
 * the rest of each rank's duration is waiting time. If not all ranks of a group
 * are in the job, transfer time is an upper bound, and waiting is among the
 * ranks that are. Collectives that some rank lacks are not split. A single run
 * has neither transfer nor waiting time. */
#pragma once
#include "arena.h"
#include "collective_pairs.h"
#include "compared.h"
#include "err.h"

struct catalog;
struct rank_line {
	int64_t run;
	int32_t rank; /* -1 unknown */
	const char *device; /* names of its devices; NULL unknown */
	uint32_t iterations; /* kept iterations */
	double iteration_ns; /* mean over kept iterations; NaN none */
	/* Sums of durations over the whole recording. transfer_ns + waiting_ns
	 * is collective_ns without unmatched collectives. Both are -1 for a
	 * single run. All three are -1 if there are no launches. */
	int64_t collective_ns, transfer_ns, waiting_ns;
	int64_t compute_ns; /* kernels that are not collectives, and opaque graphs;
		unknown if the file records collectives alone */
	/* last_share: the share of matched collectives at which this rank
	 * arrives last; if several ranks arrive last together, each gets a
	 * fraction. late_ns: mean delay after the first rank, over all matched
	 * collectives. NaN if the clocks do not agree. */
	double last_share, late_ns;
	/* Of the matched collectives: in how many it is, at how many it alone
	 * arrives last by its duration, and how long another rank waits in
	 * those, as in collective_line. -1 for a single run. */
	int64_t matched_calls, last_calls, caused_ns;
	bool straggler; /* computes longer than the median rank by more than 3 MAD
		and 2 % */
};
/* A job lists at most RANKS_SIZES_MAX lines with a size, so that the others of a
 * group share one line per kind, and at most RANKS_LINES_MAX lines: those with
 * the most transfer time. An answer with 256 ranks then has about 4 MB. */
enum { RANKS_SIZES_MAX = 500, RANKS_LINES_MAX = 600 };

/* Collectives of one group, kind, element type and size. */
struct collective_line {
	const char *name; /* of the first kernel */
	const struct pair_group *group;
	struct collective_call call; /* what all calls have in common */
	const char *reason; /* why the bytes are unknown; NULL: known */
	uint32_t *runs; /* indexes into `ranks`, of those that are in it */
	uint32_t runs_n;
	uint32_t count; /* per rank */
	bool upper_bound; /* not all ranks of the group are in the job */
	int64_t transfer_ns; /* sum of minima; -1 for a single run */
	double busbw_gb_s; /* of the transfer time; NaN unknown */
	/* The peak of the slowest link between its ranks, in one direction; NaN
	 * if unknown, for link_reason. */
	double link_gb_s;
	bool between_nodes; /* its ranks are on several hosts */
	const char *link_reason;
	/* Mean difference of the longest and the shortest duration of a
	 * collective; NaN for a single run. */
	double skew_ns;
	/* By rank, in the order of `ranks`. The rank whose duration is the
	 * shortest arrives last, if the ranks end together. last_calls: how
	 * often it alone does; caused_ns: the longest waiting of another rank in
	 * these calls, as a sum. */
	int64_t *total_ns, *last_calls, *caused_ns;
};
struct ranks {
	struct rank_line *ranks; /* by rank, run; unknown ranks last */
	const struct compared_run **runs; /* in the same order */
	struct collective_line *collectives; /* matched; transfer descending */
	uint32_t ranks_n, collectives_n;
	uint32_t collectives_left_out; /* lines beyond RANKS_LINES_MAX */
	struct collective_pairs pairs;
	uint32_t sizes_differ; /* collectives whose ranks state different
		sizes, where this cannot be */
	uint32_t rank_twice; /* runs that share their rank with another run */
	/* Every run has a start time, and in nine of ten matched collectives
	 * there is a moment at which all ranks execute the collective. */
	bool clocks_agree;
};

/* The arena must have no size limit. The peaks of links are those of the
 * catalog. ERR_INPUT if there is no run. */
bool ranks_from(const struct compared_run *runs, uint32_t n,
	const struct catalog *catalog, struct arena *a, struct ranks *out,
	struct err *e);

/* What the collectives of runs of one job carried over the bus, without sends and
 * receives: each matched collective once, with the shortest duration of its
 * ranks. A single run has its own durations. */
void ranks_bus_sum(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct bus_sum *out);

/* Waiting time inside each iteration of each run, for comparisons of jobs.
 * *waiting has one array per run with one value per iteration. Waiting is the
 * first part of a collective. Some of it may overlap with computation. That
 * part is unknown here, so the value is limited to the iteration's comm_ns. NaN
 * if no collective could be matched or comm_ns is unknown; 0 if there are no
 * collectives. ERR_INPUT if there is no run. */
bool ranks_waiting(const struct compared_run *runs, uint32_t n, struct arena *a,
	double **waiting, struct err *e);

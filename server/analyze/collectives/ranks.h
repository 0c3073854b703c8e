/* ranks.h - the ranks of a job: how long each waits for the others.
 *
 * Collectives are matched by name and by the order of their starts, over all
 * streams. The shortest duration of the n-th one over the ranks is transfer; the
 * rest of a rank's duration is waiting (definitions.md 2.6). If ranks differ in
 * the number of collectives of a name, those are counted as unmatched and not
 * split. A single run has neither transfer nor waiting. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "err.h"

struct rank_line {
	int64_t run;
	int32_t rank; /* -1 unknown */
	const char *device; /* names of its devices; NULL unknown */
	uint32_t iterations; /* kept ones */
	double iteration_ns; /* mean of those; NaN none */
	/* Sums of durations over the whole recording. transfer_ns + waiting_ns is
	 * collective_ns without unmatched collectives; both are -1 for a single
	 * run, all are -1 if there are no launches. */
	int64_t collective_ns, transfer_ns, waiting_ns;
	int64_t compute_ns; /* kernels that are not collectives, and opaque graphs */
	/* Share of the matched collectives at which it arrives last (ranks that
	 * arrive together share one), and the mean delay after the first rank over
	 * all of them. NaN if the clocks do not agree. */
	double last_share, late_ns;
	bool straggler; /* computes longer than the median rank by more than 3 MAD
		and 2 % */
};
struct collective_line {
	const char *name;
	uint32_t count; /* per rank */
	int64_t transfer_ns; /* sum of minima; -1 for a single run */
	const int64_t *total_ns; /* by rank, in the order of `ranks` */
};
struct ranks {
	struct rank_line *ranks; /* by rank, run; unknown ranks last */
	struct collective_line *collectives; /* matched; transfer descending */
	uint32_t ranks_n, collectives_n;
	uint32_t unmatched; /* collectives that some rank lacks; for each
		name, the count of the rank with most */
	uint32_t rank_twice; /* runs that share their rank with another run */
	/* Every run has a start time, and in nine of ten matched collectives there
	 * is a moment at which all ranks are in it. */
	bool clocks_agree;
};

/* The arena has no ceiling. ERR_INPUT if there is no run. */
bool ranks_from(const struct compared_run *runs, uint32_t n, struct arena *a,
	struct ranks *out, struct err *e);

/* Waiting inside each iteration of each run, for comparisons of jobs: *waiting
 * has an array per run with a number per iteration. Waiting is the first part of a
 * collective. How much of it computing covers is unknown here, so it is at most
 * the iteration's comm_ns. NaN if nothing could be matched, or comm_ns is unknown;
 * 0 if there are no collectives. ERR_INPUT if there is no run. */
bool ranks_waiting(const struct compared_run *runs, uint32_t n, struct arena *a,
	double **waiting, struct err *e);

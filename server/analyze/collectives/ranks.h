/* ranks.h - the ranks of a job side by side: who waits for whom.
 *
 * Collectives are laid beside each other by name and by the order in which they
 * began, over all streams. Of the n-th one, the shortest duration over the ranks
 * is transfer, what a rank has beyond it is waiting (definitions.md 2.6). Where
 * ranks differ in how many they have of a name, those are not split, and
 * counted. One run alone tells neither. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "err.h"

struct rank_line {
	int64_t run;
	int32_t rank; /* -1 unknown */
	const char *device; /* names of its devices; NULL unknown */
	uint32_t cycles; /* kept ones */
	double cycle_ns; /* mean of those; NaN none */
	/* Of the whole recording: sums of durations. transfer_ns + waiting_ns is
	 * collective_ns but for what is unmatched; both -1 where the run stands
	 * alone, all -1 where there are no launches. */
	int64_t collective_ns, transfer_ns, waiting_ns;
	int64_t compute_ns; /* kernels and opaque graphs that are none */
	/* Share of the matched collectives at which it arrives last (that of ranks
	 * that arrive together is shared), and how long after the first rank it
	 * does, mean over all of them. NaN where the clocks do not agree. */
	double last_share, late_ns;
	bool straggler; /* computes longer than the median rank by more than 3 MAD
		and 2 % */
};
struct collective_line {
	const char *name;
	uint32_t count; /* per rank */
	int64_t transfer_ns; /* Σ of minima; -1 of a run alone */
	const int64_t *total_ns; /* by rank, as `ranks` has them */
};
struct ranks {
	struct rank_line *ranks; /* by rank, run; unknown ranks last */
	struct collective_line *collectives; /* matched; transfer descending */
	uint32_t ranks_n, collectives_n;
	uint32_t
		unmatched; /* collectives that some rank lacks; of each name, as
		many as the rank with most has */
	uint32_t rank_twice; /* runs whose rank another run has too */
	/* Every run tells when it began, and in nine of ten matched collectives
	 * there is a moment at which all ranks are in it. */
	bool clocks_agree;
};

/* The arena has no ceiling. ERR_INPUT where there is no run. */
bool ranks_from(const struct compared_run *runs, uint32_t n, struct arena *a,
	struct ranks *out, struct err *e);

/* Waiting inside each cycle of each run, for comparisons of jobs: *waiting
 * has an array per run, of a number per cycle. The first part of a collective is its
 * waiting; what computing covers of it cannot be told from here, so it is the
 * cycle's comm_ns at most. NaN where nothing could be matched, or comm_ns is
 * unknown; 0 where there are no collectives. ERR_INPUT where there is no run. */
bool ranks_waiting(const struct compared_run *runs, uint32_t n, struct arena *a,
	double **waiting, struct err *e);

/* operators.h - the operators and shapes that used a run's GPU time.
 *
 * analyze/attribution computes them from one process of a trace. They are
 * stored as run_operator and run_shape, and rollups contain their sums over
 * runs. Every launch, copy and set belongs to exactly one operator row and one
 * shape row. Opaque graph replays and unattributed launches belong to the
 * operator without a name. So the total_ns of all operator rows, and also those
 * of all shape rows, add up to the run's GPU time: kernel_ns + copy_ns +
 * graph_ns.
 *
 * An operator call is one request of the host with all its kernels (a GEMM and
 * its split-K reduction). If the host's operator is not known, each launch is
 * an operator call. The time of a call is the sum of its launches'
 * durations. */
#pragma once
#include "cost.h"
#include "iterations.h"
#include "profile_time.h"

enum how {
#define KNOWN(code, word, what) KNOWN_##code,
#include "known.def"
#undef KNOWN
	KNOWNS
};

/* Sums over calls whose T_SOL is known. */
struct bound_sum {
	int64_t sol_ps; /* sum of T_SOL, picoseconds */
	int64_t compute_ns; /* time of these calls if their leg is
		LEG_COMPUTE */
	int64_t headroom_ns; /* sum of (time - T_SOL) over calls above the
		launch floor; a shape with S > 1 adds nothing */
	int64_t over_ns; /* time of shapes with S > 1 */
};

/* One operator, type and phase of the run. The rows are sorted by time (most
 * first), then name, type and phase. known_ns divides total_ns by attribution
 * source. */
struct operator_stat {
	const char *name; /* the catalog's; NULL: unattributed */
	enum dtype dtype;
	enum phase phase;
	bool collective; /* its time includes waiting, and so its headroom */
	int64_t launches, calls, total_ns;
	int64_t known_ns[KNOWNS];
	int64_t sized_ns; /* of launches with sizes */
	/* Over calls whose T_SOL on the run's platform is known. */
	int64_t bound_calls, bound_ns; /* number of these calls, their time */
	/* By the data sheet's peaks, for everything that spans runs: runs with
	 * and without a recorded clock are comparable by no others. */
	struct bound_sum sheet;
	/* By the peaks at the run's SM clock, for what describes only the run;
	 * equal to `sheet` if the clock is unknown. */
	struct bound_sum clock;
	uint32_t shapes; /* rows below */
};

/* Which calls compute again what was computed before, as a training step with
 * activation checkpointing does. */
struct recomputed {
	int64_t calls; /* how many; -1: that was not stored */
	int64_t known_ns; /* time of the calls that are known to do so or not;
		likewise */
};

/* An operator in one of several runs, over all types and phases. */
struct run_operator_time {
	int64_t run;
	const char *name; /* NULL: unattributed */
	int64_t total_ns, launches;
};

/* One shape of an operator. */
struct shape_stat {
	uint32_t operator_; /* index into operators.rows */
	const char *text; /* shape.h; NULL: sizes unknown */
	/* If the sizes are unknown: grid and block, "128x1x1 / 256x1x1". For a
	 * copy: its direction, "Host-to-Device". For a collective whose sizes
	 * are known: its kind, "all_reduce". Else NULL. */
	const char *grid;
	enum how known;
	int64_t launches;
	struct time_stats call; /* over calls */
	/* Of these, the calls whose first launch is in a kept iteration, and
	 * their time; -1 unknown. Of stored shapes only query_costed_shapes()
	 * reads them. */
	int64_t kept_calls, kept_ns;
	struct recomputed recomputed; /* of all calls, */
	struct recomputed kept_recomputed; /* and of those calls */
	/* Number of calls per duration bucket, ascending. Bucket b contains
	 * durations in [2^(b/32), 2^((b+1)/32)) ns, bucket -1 those of 0 ns.
	 * Medians over many runs are computed from these counts, because the
	 * counts of a deleted run can be subtracted exactly. No buckets if the
	 * run was imported as a table. */
	const int16_t *bucket;
	const int64_t *bucket_calls;
	uint32_t buckets_n;
	bool costed;
	struct cost cost; /* of one call, CONVENTION_PHYSICAL; below 2^63 */
	const char *why; /* a sentence, if sizes are known but the cost is not,
		or the bound on the run's platform is not, or the calls' times
		do not fit the bound; else NULL */
	double sol_ns; /* of one call, on the run's platform by its data sheet;
		NaN unknown */
	enum leg leg;
	/* Its part of the operator's sheet.headroom_ns. -1: sol_ns is unknown, or
	 * the run was stored before shapes had it. */
	int64_t headroom_ns;
	/* The same bound at the run's SM clock; equal if that is unknown. */
	double clock_sol_ns;
	enum leg clock_leg;
	/* Analysis: its number before sorting. Store: run_shape.rank. */
	uint32_t number;
};

/* The calls of a shape on one device of a run that used several; not of a
 * collective, which waits for the other devices. Kept are, of the operators with
 * the most time, the shapes with the most time. */
struct device_shape {
	int32_t device; /* number */
	uint32_t shape; /* index into operators.shapes */
	int64_t calls; /* whose launches were all on this device */
	double median_ns;
};
enum { DEVICE_SHAPE_OPERATORS = 5, DEVICE_SHAPES = 2 };

/* A kernel with unattributed launches. Kernels are sorted by time, most
 * first. */
struct unattributed {
	uint32_t kernel; /* index into profile.kernels */
	int64_t launches, total_ns;
};

/* The kernels of a CUDA graph in order, as learned from its stream capture.
 * `key` is a hash of the kernels' names that does not depend on their order.
 * `content` differs between graphs of one key that differ in anything else,
 * such as the same layers for another batch size. */
struct graph_node_known {
	const char *kernel; /* the name, as the trace has it */
	const char *op; /* NULL none */
	const char *shape; /* shape.h; NULL none */
	enum dtype dtype;
	uint32_t call; /* number of the operator call; nodes of one call share
		it */
};
struct graph_known {
	uint8_t key[32], content[32];
	const struct graph_node_known *nodes;
	uint32_t n;
	int64_t upload; /* the upload that recorded it; 0: this one */
};

/* Whose capture describes a replay. */
enum graph_source {
	GRAPH_SOURCE_RUN, /* the same process recorded it */
	GRAPH_SOURCE_UPLOAD, /* a capture trace of the same upload, or given */
	GRAPH_SOURCE_OTHER, /* another upload recorded it */
	GRAPH_SOURCES,
	GRAPH_SOURCE_NONE = GRAPH_SOURCES
};

enum graph_reason {
#define GRAPH_REASON(code, word, text) GRAPH_REASON_##code,
#include "graph_reason.def"
#undef GRAPH_REASON
	GRAPH_REASONS,
	GRAPH_REASON_NONE = GRAPH_REASONS
};

/* Replays of a graph that had the same kernels in the same order, and the
 * capture that describes them best. */
struct graph_match {
	uint8_t key[32]; /* as in graph_known, of the replay's kernels */
	const struct graph_sketch *sketch; /* NULL: all kernels have an
		operator */
	int64_t replays, total_ns;
	int64_t attributed; /* kernels of all replays with an operator that is
		not from their name */
	uint32_t kernels; /* of one replay */
	uint32_t captures; /* number of captures that match equally well; 0: no
		capture matches */
	uint32_t captured; /* kernels of such a capture */
	uint32_t matched; /* kernels of the replay that it contains */
	enum graph_source source;
	enum graph_reason reason; /* why kernels have no operator */
	int64_t upload; /* of GRAPH_SOURCE_OTHER: the upload of a capture */
};

/* Graphs learned from stream captures of other runs. The caller looks them up
 * for what attribute_wanted() lists. A key has several graphs if captures
 * differ. Replays of which not all similar captures are in the book have a
 * cut. */
struct graph_cut {
	uint8_t key[32]; /* of the replay's kernels */
	uint32_t distance; /* captures that differ by less are in the book */
};
struct graph_book {
	const struct graph_known *graphs; /* by key, then content */
	uint32_t n, cuts_n;
	const struct graph_cut *cuts; /* by key */
};

/* Matched kernels of both sides, in percent; 0 without a capture. */
static inline double graph_match_pct(const struct graph_match *m)
{
	return m->captures ? 200.0 * m->matched / (m->kernels + m->captured)
			   : 0;
}

/* Who reads the tensor that the second call of a pair reads from the first. */
enum fusion_consumers {
	CONSUMERS_UNKNOWN,
	CONSUMERS_SECOND, /* only the second call */
	CONSUMERS_OTHERS, /* other calls, too */
	FUSION_CONSUMERS
};

/* Pairs of operator calls that one kernel could execute: those of two shapes
 * that have everything below in common (analyze/fusions/fusions.h). */
struct fusion_pair {
	uint32_t first, second; /* indices into operators.shapes */
	const char *kind; /* fusion_family.def */
	enum fusion_consumers consumers;
	bool replayed; /* a CUDA graph launched both: no launch gap is saved */
	bool must_write; /* a kernel for both must write the tensor, too */
	int64_t bytes; /* of the tensor of one pair; -1 unknown */
	int64_t pairs;
	int64_t first_ns, second_ns; /* sums of the calls' times */
	int64_t gap_ns; /* sum of the launch gaps between them */
	/* What one kernel for both saves: the mean per kept iteration and device,
	 * and the standard error of this mean, from the differences between
	 * iterations. NaN unknown. */
	double saved_ns, saved_error_ns;
};

/* The pairs of a run that save most per kept iteration. */
struct saved_fusion {
	const char *first, *second; /* operators */
	enum dtype first_dtype, second_dtype;
	const char *first_shape, *second_shape; /* NULL unknown */
	enum fusion_consumers consumers;
	bool must_write;
	int64_t bytes; /* of the tensor */
	double saved_ns, saved_error_ns;
};
/* Of those whose consumers are known, and of the others. */
enum { SAVED_FUSIONS = 3 };

/* The calls of each iteration whose work has the same dtypes. A call belongs to
 * the iteration of its first launch. The sums do not depend on the peaks of a
 * platform: W by dtype and Q as in cost.h. */
struct iteration_work {
	bool known; /* false: the calls whose W and Q are unknown, which have
		only a time; collectives are among them */
	uint32_t dtypes; /* bit d: they have work of the dtype d */
	double *flops; /* by dtype in ascending order, then by iteration */
	double *bytes; /* by iteration */
	int64_t *time_ns; /* of the calls, by iteration */
	/* The part of `flops` that was computed before, and the time of the calls
	 * that are known to compute something again or not. NULL: that was not
	 * stored. */
	double *recomputed_flops;
	int64_t *recompute_known_ns; /* by iteration */
};
_Static_assert(DTYPES <= 32, "a dtype is a bit of iteration_work.dtypes");

/* The work of a run's iterations. The times of all rows add up to the GPU time of
 * the calls in each iteration. */
struct iteration_works {
	struct iteration_work *rows; /* first the calls of unknown work */
	uint32_t n; /* 0: unknown, or the run has no iterations */
	uint32_t iterations_n; /* all iterations of the run */
	int64_t devices; /* of the run; read from the store */
};

struct operators {
	const char *platform; /* the catalog's; NULL: unknown or mixed */
	/* The SM clock to which the compute peaks of `clock` bounds scale; NaN:
	 * they are the data sheet's, with the reason in sm_clock_why. */
	double sm_clock_mhz;
	const char *sm_clock_why;
	/* The catalog's platform, whose peaks are the data sheet's, if the peaks
	 * are at a recorded clock; else NULL. Not stored: the catalog has it. */
	const struct platform *sheet;
	const char *catalog; /* version used for attribution; NULL: not
		attributed */
	int64_t gpu_ns; /* kernels, copies, opaque graphs */
	struct operator_stat *rows;
	struct shape_stat *shapes; /* by operator row, most time first */
	struct unattributed *unattributed;
	struct graph_known *learned; /* from this run's stream captures; sorted
		by key, then content, without duplicates */
	struct graph_match *matches; /* at most 1,000, most kernels first */
	struct fusion_pair *fusions; /* most time first */
	struct device_shape *device_shapes; /* by device, then operator */
	uint32_t n, shapes_n, unattributed_n, learned_n, matches_n, fusions_n;
	uint32_t device_shapes_n;
	bool fusions_known; /* false: the run has no single launches */
	bool device_shapes_known; /* false: one device, or no single launches */
	struct iteration_works work;
	/* Kernels in graph replays, and how many of them were found in a known
	 * stream capture. */
	int64_t replayed, replayed_known;
};

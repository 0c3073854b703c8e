/* operators.h - what a run's GPU time was spent on: operators and their shapes.
 *
 * Made by analyze/attribute from one process of a trace, stored as run_operator
 * and run_shape, summed over runs in rollups. Every launch, copy and set is in
 * exactly one operator row and one shape row; opaque graph replays and launches
 * that are unattributed are in the operator without a name. So the total_ns of
 * either list add up to the run's GPU time: kernel_ns + copy_ns + graph_ns.
 *
 * A call is one request of the host: an operator's kernels together (a GEMM
 * and its split-K reduction). Where the host's operator is not known, each launch
 * is a call. Times of a call are the sum of its launches' durations. */
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

/* One operator, type and phase of the run; most time first, then name, type,
 * phase. known_ns divides its time by attribution source; it adds up to
 * total_ns. */
struct operator_stat {
	const char *name; /* the catalog's; NULL: unattributed */
	enum dtype dtype;
	enum phase phase;
	bool collective; /* its time includes waiting: no headroom */
	int64_t launches, calls, total_ns;
	int64_t known_ns[KNOWNS];
	int64_t sized_ns; /* of launches with sizes */
	/* Over calls whose T_SOL on the run's platform is known. */
	int64_t bound_calls, bound_ns; /* how many, and their time */
	int64_t sol_ps; /* sum of T_SOL, picoseconds */
	int64_t compute_ns; /* that part of bound_ns whose leg is LEG_COMPUTE */
	int64_t headroom_ns; /* sum of time - T_SOL, of calls above the launch
		floor; a shape with S > 1 adds nothing, and is noted */
	int64_t over_ns; /* time of shapes with S > 1 */
	uint32_t shapes; /* rows below */
};

/* One shape of it. */
struct shape_stat {
	uint32_t operator_; /* index into operators.rows */
	const char *text; /* shape.h; NULL: sizes unknown */
	/* Where sizes are unknown, "128x1x1 / 256x1x1"; of a copy its
	 * direction, "Host-to-Device"; else NULL. */
	const char *grid;
	enum how known;
	int64_t launches;
	struct time_stats call; /* over calls */
	/* Calls by duration: bucket b holds [2^(b/32), 2^((b+1)/32)) ns, rising,
	 * and -1 those of 0 ns; for medians over many runs, which subtract
	 * exactly. None where a table was all there is. */
	const int16_t *bucket;
	const int64_t *bucket_calls;
	uint32_t buckets_n;
	bool costed;
	struct cost cost; /* of one call, CONVENTION_PHYSICAL; below 2^63 */
	const char *why; /* a sentence, where sizes are known and the cost or,
		on the run's platform, the bound is not */
	double sol_ns; /* of one call, on the run's platform; NaN unknown */
	enum leg leg;
};

/* Kernels of which part or all is unattributed, most time first. */
struct unattributed {
	uint32_t kernel; /* index into profile.kernels */
	int64_t launches, total_ns;
};

/* What stream captures taught: the kernels of a graph in order. The key is a
 * hash of their names, whatever their order; graphs of one key that differ in
 * anything else (the same layers for other batch sizes) have other contents. */
struct graph_node_known {
	const char *kernel; /* the name, as the trace has it */
	const char *op; /* NULL none */
	const char *shape; /* shape.h; NULL none */
	enum dtype dtype;
	uint32_t call; /* nodes of one call share it */
};
struct graph_known {
	uint8_t key[32], content[32];
	const struct graph_node_known *nodes;
	uint32_t n;
};

struct operators {
	const char *platform; /* the catalog's; NULL: unknown or mixed */
	const char *catalog; /* version it was attributed with; NULL: not */
	int64_t gpu_ns; /* kernels, copies, opaque graphs */
	struct operator_stat *rows;
	struct shape_stat *shapes; /* by operator row, most time first */
	struct unattributed *unattributed;
	struct graph_known *learned; /* from this run's stream captures; by key,
		then content, without doubles */
	uint32_t n, shapes_n, unattributed_n, learned_n;
	/* Kernels in graph replays, and those a fingerprint knew. */
	int64_t replayed, replayed_known;
};

/* iterations.h - the repetitions of a run's work: training steps, decode steps.
 *
 * analyze/iterations finds the iterations, the store saves them with the run,
 * and comparisons read them. An iteration is a window of the run's GPU
 * timeline. Windows do not overlap and are in order. If the iterations are
 * annotations on the host, a kernel belongs to the iteration in which it was
 * launched. Otherwise it belongs to the iteration in which it starts.
 *
 * An iteration's time is divided into four parts, which are unions of intervals
 * over all devices. Compute: kernels other than collectives, and opaque graph
 * replays. Communication: collectives while nothing computes. Copies: copies
 * while neither of these runs. Idle: nothing runs on a GPU. The four parts add
 * up to dur_ns, exact to the nanosecond. The parts are those of the
 * timeline of AMD-AGI/TraceLens. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum iteration_detector {
	ITERATIONS_NONE, /* the run has no data in which to find iterations */
	ITERATIONS_ANNOTATION, /* ranges that repeat: ProfilerStep#3, NVTX, … */
	ITERATIONS_PERIOD, /* the outermost period of the kernels' names */
	ITERATIONS_WINDOW, /* the whole recording is one iteration */
	ITERATIONS_GIVEN, /* read from a table of patterns */
	ITERATIONS_NAMED, /* ranges with the name that a request gives */
};

/* Whether comparisons use an iteration, or why they do not. */
enum iteration_use {
	ITERATION_KEPT,
	ITERATION_WARMUP, /* one of the first, and different from the later
		ones */
	ITERATION_PARTIAL, /* cut off by the start or end of the recording */
};

struct iteration {
	int64_t number; /* from 0; its number in the table for
		ITERATIONS_GIVEN */
	const char *label; /* the annotation's text; NULL none */
	/* Start counted from the run's first record of any kind. -1 if a table
	 * does not contain the times (only ITERATIONS_GIVEN). */
	int64_t start_ns, dur_ns;
	enum iteration_use use;
	/* The iteration ends with the last GPU record of the recording, so idle
	 * time at its end may be missing. True only for the last iteration of
	 * PERIOD and WINDOW. */
	bool open;
	uint32_t stratum; /* index into iterations.strata */
	/* They add up to dur_ns; all -1 if unknown (ITERATIONS_GIVEN). */
	int64_t compute_ns, comm_ns, copy_ns, idle_ns;
	/* Time in which at least one thread of the host waits for the device in
	 * an API call; part of no sum. -1 unknown. */
	int64_t sync_ns;
	int64_t launches; /* kernels that belong to this iteration */
};

/* What the iterations of one stratum worked on. Comparisons use only iterations
 * whose strata agree. */
enum phase { PHASE_UNKNOWN, PHASE_PREFILL, PHASE_DECODE, PHASE_MIXED };
struct stratum {
	const char *text; /* for people: "decode, 16 sequences, 16 tokens" */
	enum phase phase;
	int64_t sequences, tokens, kv_tokens; /* per iteration; -1 unknown */
	uint32_t iterations; /* kept ones */
};

/* One size on which a stratum worked; the most frequent size is first. It is an
 * operator with its Input Dims ("[[64,128,17],[17,128]]"), or a kernel with its
 * grid and block ("128x1x1 / 256x1x1"; "128x1x1" if the block is unknown, and in
 * runs that an analysis before version 9 stored). */
enum work_kind { WORK_OP, WORK_GRID };
struct work {
	uint32_t stratum;
	enum work_kind kind;
	const char *name, *size;
	double per_iteration; /* mean count over the stratum's kept iterations */
};

struct iterations {
	enum iteration_detector detector;
	double confidence; /* 0 to 1: share of GPU time in similar iterations */
	const char *range; /* the annotation's name without its numbers, the
		first kernel of a period, or a table's anchor; NULL none */
	struct iteration *iterations;
	struct stratum *strata; /* most kept iterations first */
	struct work *works; /* by stratum */
	uint32_t n, kept_n, strata_n, works_n;
	/* Set only where runs are compared: `range` and the names of works
	 * without the part that a compiler numbers (struct kernel_stem). NULL,
	 * also in the list: the name has no such part. */
	const char *range_stem, **work_stems;
};

/* Maximum number of sizes per stratum and kind. Only the rarest are dropped,
 * because the list is sorted by frequency. */
enum { ITERATIONS_WORKS_MAX = 512 };

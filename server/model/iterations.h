/* iterations.h - the repetitions of a run's work: training steps, decode steps.
 *
 * Made by analyze/iterations, stored beside the run, read by comparisons. An iteration
 * is a window of the run's GPU timeline; windows do not overlap and are in order.
 * Kernels belong to an iteration by their launch if the iterations are annotations
 * of the host, else by their start.
 *
 * The parts of an iteration's time are unions of intervals over all devices:
 * compute (kernels and opaque graph replays that are no collective),
 * communication that no computing covers, copies that neither covers, and
 * nothing at all: idle, as far as the GPU is concerned. The four sum up to
 * dur_ns, to the nanosecond. Definition: definitions.md 2.6, after
 * AMD-AGI/TraceLens' timeline. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum iteration_detector {
	ITERATIONS_NONE, /* nothing that iterations could be found in */
	ITERATIONS_ANNOTATION, /* ranges that repeat: ProfilerStep#3, NVTX, … */
	ITERATIONS_PERIOD, /* the outermost period of the kernels' names */
	ITERATIONS_WINDOW, /* the whole recording is one */
	ITERATIONS_GIVEN, /* by a table of patterns */
	ITERATIONS_NAMED, /* ranges of a name given by a request */
};

/* Why an iteration counts for nothing in a comparison. */
enum iteration_use {
	ITERATION_KEPT,
	ITERATION_WARMUP, /* of the first ones, and unlike those that follow */
	ITERATION_PARTIAL, /* cut off by the recording's begin or end */
};

struct iteration {
	int64_t number; /* from 0; as a table numbers it */
	const char *label; /* the annotation's text; NULL none */
	/* From the run's first record of any kind; -1 if a table does not give
	 * them (only ITERATIONS_GIVEN). */
	int64_t start_ns, dur_ns;
	enum iteration_use use;
	/* What followed the last GPU record is not in the recording, so idle time
	 * at its end may be missing: the last of PERIOD and WINDOW. */
	bool open;
	uint32_t stratum; /* index into iterations.strata */
	/* Sum up to dur_ns; all -1 if unknown (ITERATIONS_GIVEN). */
	int64_t compute_ns, comm_ns, copy_ns, idle_ns;
	/* Union of the host's calls that wait for the device, over threads; part
	 * of no sum. -1 unknown. */
	int64_t sync_ns;
	int64_t launches; /* kernels that are this iteration's */
};

/* What the iterations of one kind worked on; only iterations of strata that agree are
 * compared with each other. */
enum phase { PHASE_UNKNOWN, PHASE_PREFILL, PHASE_DECODE, PHASE_MIXED };
struct stratum {
	const char *text; /* for people: "decode, 16 sequences, 16 tokens" */
	enum phase phase;
	int64_t sequences, tokens, kv_tokens; /* per iteration; -1 unknown */
	uint32_t iterations; /* kept ones */
};

/* One size that a stratum worked on, most frequent first: an operator with its
 * Input Dims ("[[64,128,17],[17,128]]"), or a kernel with its grid ("128x1x1"). */
enum work_kind { WORK_OP, WORK_GRID };
struct work {
	uint32_t stratum;
	enum work_kind kind;
	const char *name, *size;
	double per_iteration; /* mean count over the stratum's kept iterations */
};

struct iterations {
	enum iteration_detector detector;
	double confidence; /* 0 to 1: share of GPU time in iterations that resemble each other */
	const char *range; /* the annotation's name without its numbers, the
		kernel that begins a period, a table's anchor; NULL none */
	struct iteration *iterations;
	struct stratum *strata; /* most kept iterations first */
	struct work *works; /* by stratum */
	uint32_t n, kept_n, strata_n, works_n;
};

/* Works kept of a stratum and kind; the rest is rare by definition. */
enum { ITERATIONS_WORKS_MAX = 512 };

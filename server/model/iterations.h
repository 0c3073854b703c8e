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
 * timeline of AMD-AGI/TraceLens. Compute, communication and copies are the busy
 * time. */
#pragma once
#include "shape.h"
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
	/* Time with a collective while something computes, on the same device
	 * or another; part of compute_ns. The total communication is comm_ns +
	 * comm_overlapped_ns. -1 unknown. */
	int64_t comm_overlapped_ns;
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

/* What limited the busy time. In each iteration the classes add up to compute_ns
 * + comm_ns + copy_ns, exact to the nanosecond. busy_classes.h describes when
 * each applies. A moment has the first of these classes that runs. */
enum busy_class {
	BUSY_COMPUTE_BOUND,
	BUSY_MEMORY_BOUND,
	BUSY_NO_BOUND, /* a kernel without a known roofline bound */
	BUSY_LAUNCH_FLOOR, /* a kernel as short as a launch that does nothing */
	BUSY_EXPOSED_COMM, /* a collective while nothing computes */
	BUSY_COPY, /* a copy or set while neither runs */
	BUSY_CLASSES
};

/* The time of a kept iteration as the store has it, in ns; -1 unknown. */
struct kept_iteration {
	uint32_t stratum;
	int64_t launches;
	int64_t dur_ns, compute_ns, comm_ns, copy_ns, comm_overlapped_ns;
	int64_t launch_ns, host_gap_ns; /* of WAIT_LAUNCH and WAIT_HOST_GAP */
};
struct kept_iterations {
	struct kept_iteration *rows;
	uint32_t n;
	/* operators.h: most saved first, and unknown consumers last */
	struct saved_fusion *fusions;
	uint32_t fusions_n;
	struct saved_collective *collective; /* patterns.h; NULL unknown */
};

/* Sums over the kept iterations of a run. */
struct iteration_sums {
	int64_t iterations;
	/* all -1 if the times of one of them are unknown, or there are none */
	int64_t compute_ns, comm_ns, copy_ns, idle_ns;
	bool causes_known; /* whether the causes of idle time are stored */
	bool classes_known; /* whether the classes of busy time are */
	int64_t class_ns[BUSY_CLASSES];
};

struct busy_times {
	/* By class, then by iteration of iterations.iterations; NULL: unknown,
	 * because the run has no iterations or no single launches. */
	int64_t *iteration_ns[BUSY_CLASSES];
	int64_t time_ns[BUSY_CLASSES]; /* over the kept iterations */
	/* Likewise: communication while something computes, and time in which
	 * kernels of several classes run, so that their order decided. Both
	 * are part of the times above. */
	int64_t comm_overlapped_ns, mixed_ns;
};

/* Why the GPU was idle. In each iteration the causes add up to idle_ns, exact to
 * the nanosecond. analyze/waits describes when each applies (wait_causes.h). */
enum wait_cause {
	WAIT_SYNCHRONIZATION, /* the host waits in a synchronizing call */
	WAIT_COPY, /* the host is inside a blocking copy */
	WAIT_HOST_GAP, /* the host does other work before the next launch */
	WAIT_LAUNCH, /* the API call that launches the next record runs */
	WAIT_GRAPH, /* between two records of one graph launch */
	WAIT_STREAM, /* the next record waited for another stream */
	WAIT_UNKNOWN, /* the trace does not show the cause */
	WAIT_CAUSES
};

/* What the host did during idle time: the API call of a synchronization, a copy
 * wait or a launch; the innermost range or operator of a host gap. */
enum wait_kind {
	WAIT_KIND_ANNOTATION,
	WAIT_KIND_MODULE,
	WAIT_KIND_PYTHON,
	WAIT_KIND_OP,
	WAIT_KIND_CALL,
	WAIT_KINDS
};

struct wait_name {
	enum wait_cause cause;
	enum wait_kind kind;
	const char *name; /* calls without suffixes, ranges as in call paths */
	int64_t time_ns;
};

/* Names beyond these of a cause are left out; their time is in the cause. */
enum { WAIT_NAMES_MAX = 10 };

struct wait_times {
	/* By cause, then by iteration of iterations.iterations; NULL: unknown,
	 * because the run has no iterations or no single launches. */
	int64_t *iteration_ns[WAIT_CAUSES];
	/* Over the kept iterations; `parts` of idle intervals have that cause. */
	int64_t time_ns[WAIT_CAUSES], parts[WAIT_CAUSES];
	/* Likewise, of whole intervals: those that begin before the API call
	 * that ends them does, and of the others those of at most 30 ns. On one
	 * stream these are `host wait` and `kernel wait` of Holistic Trace
	 * Analysis; its `other` is the rest. */
	int64_t late_launch_ns, short_ns;
	struct wait_name *names; /* of kept iterations; by cause, then most
		time first */
	uint32_t names_n;
};

/* The energy that launches of an operator used in addition to the idle power of
 * their device, in the time of device_energy (iteration_energy.h). The operator is
 * that of a row of the run's operators. */
struct operator_energy {
	uint32_t operator_; /* index of the row */
	const char *name;
	enum dtype dtype;
	enum phase phase;
	int64_t time_ns; /* GPU time of its launches */
	double energy_j, low_j, high_j; /* NaN unknown */
	const char *why; /* why they are unknown; NULL if they are not */
};

/* The energy that a device used in consecutive kept iterations, from samples of
 * its power (iteration_energy.h). */
struct device_energy {
	int32_t device;
	const char *counter; /* whose samples were used; NULL: there are none */
	/* Of that counter: samples; those that can be no power; pairs of
	 * neighbors that are too far apart; the median distance of neighbors, -1
	 * unknown. */
	int64_t samples, ignored, gaps, interval_ns;
	/* Of all devices the same iterations: the index of the first one, their
	 * number, and the time from the start of the first to the end of the
	 * last. */
	uint32_t first, iterations;
	int64_t span_ns;
	double energy_j, low_j, high_j; /* in span_ns; NaN unknown */
	const char *why; /* why it is unknown; NULL if it is not */
	/* By iteration of iterations.iterations; NaN: of a single iteration it
	 * is unknown. NULL: of all of them. */
	double *iteration_j, *iteration_low_j, *iteration_high_j;
	/* The power while no launch is executed; NaN unknown. */
	double idle_w, idle_low_w, idle_high_w;
	/* Most time first. Empty if no operator has an energy, for the reason; both
	 * are NULL if the run was stored before it was computed. */
	struct operator_energy *operators;
	uint32_t operators_n;
	const char *operators_why;
};

struct energy_use {
	struct device_energy *devices; /* by number */
	uint32_t n; /* 0: unknown */
	uint32_t iterations_n; /* of the run, when they were read */
	/* Analysis: output tokens of the iterations of all devices' energy; NaN
	 * unknown. The store does not read them: energy_sum_from() computes
	 * them. */
	double tokens;
};

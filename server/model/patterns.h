/* patterns.h - the time of each function of a run in each iteration, and the
 * values of counters while the function ran.
 *
 * β = Σ durations / duration of the iteration, in percent. It may exceed 100 if
 * there are several streams or threads. μ = Σ u_i·d_i / Σ d_i over the
 * function's executions i of duration d_i. u_i is the mean of the counter's
 * samples inside execution i if there are at least three. Otherwise it is the
 * mean of the counter's interpolated values at the start and the end of the
 * execution. σ = √(Σ s_i²·d_i / Σ d_i). s_i is the population standard
 * deviation of the samples inside execution i, 0 if there are fewer than two.
 * An execution that starts before the first sample or ends after the last one,
 * and contains fewer than three samples, is in neither sum. These
 * are the formulas of core/metrics_analysis.py in LatencyPrism's DeepDive.
 *
 * Arrays have one element for each of patterns.iterations_n iterations.
 * iteration[i] is the index of the i-th of them in iterations.iterations.
 * Usually every iteration is included; if there are very many, an evenly spaced
 * selection. */
#pragma once
#include "cost.h"
#include "shape.h"
#include <stdint.h>

enum function_type {
#define FUNCTION_TYPE(code, word, where, what) FUNCTION_##code,
#include "function_type.def"
#undef FUNCTION_TYPE
	FUNCTION_TYPES
};

enum { PATTERN_SPREAD = 17 };

/* How the varying part of a kernel's name comes about. */
enum name_varies {
	NAME_NUMBER, /* a compiler numbers or specializes its kernels */
	NAME_TUNING, /* a library chooses among kernels for one computation */
};

/* The part of a kernel's name that stays the same if the kernel is compiled
 * again, with "*" for the rest: "triton_poi_fused_add_gelu*". Kernels of one
 * stem may still be different kernels. */
struct kernel_stem {
	const char *text; /* NULL: the whole name identifies the kernel */
	const char *of; /* the compiler or library, for sentences */
	enum name_varies varies;
};

/* How a kernel was launched in the kept iterations. Comparisons use it to find
 * a kernel again whose name has changed. The texts are known only for kernels
 * whose name has a stem. Each list has at most PATTERN_TEXTS_MAX texts, the
 * most frequent first. */
enum { PATTERN_TEXTS_MAX = 16 };
struct pattern_texts {
	const char *const *list;
	uint32_t n; /* 0: unknown */
};
struct pattern_launch {
	/* Position, from 1, in the order of the first launches on its device,
	 * stream by stream; 0 unknown. */
	uint32_t order;
	struct pattern_texts grids; /* "128x1x1 / 256x1x1": grid and block */
	struct pattern_texts operators; /* "gemm bf16 m=64 n=64 k=64" */
	/* From a provenance file: the nodes of the program that the kernel
	 * computes, and their operators. Set only where runs are compared. */
	struct pattern_texts origin_nodes, origin_operators;
};

/* From which nodes of its program a compiler generated a kernel, as a provenance
 * file says (catalog/provenance.h). The number in a generated kernel's name
 * changes with every compilation; the nodes that it computes do not. */
struct provenance_kernel {
	const char *name; /* as in the trace */
	/* Nodes of the graph after autograd: "mul_3", sorted, each once. A
	 * kernel that is called several times has the nodes of all calls. */
	struct pattern_texts nodes;
	struct pattern_texts operators; /* the same without numbers: "mul" */
	/* Lines of the program; at most PATTERN_TEXTS_MAX of stacks_n. */
	struct pattern_texts stacks;
	uint32_t stacks_n;
};
struct provenance {
	struct provenance_kernel *kernels; /* by name */
	uint32_t n;
};

/* A kernel of a run whose origins are known. */
struct kernel_origin {
	uint32_t kernel; /* index into profile.kernels */
	const struct provenance_kernel *of;
};

struct pattern {
	const char *name; /* a kernel as profile.kernels shows it; "Memcpy HtoD
		(Pageable -> Device)"; cudaStreamSynchronize; oncpu */
	enum function_type type;
	const char *device; /* "GPU 0", "Host" */
	int32_t number; /* the device's; -1 the host's, or unknown */
	/* Per iteration: sum and count of the function's executions, 0 if there
	 * is none; the shortest and longest, -1 if unknown or none. */
	int64_t *dur_ns, *launches, *min_ns, *max_ns;
	/* PATTERN_SPREAD durations of executions over all kept iterations,
	 * taken at even steps from the shortest to the longest; NULL if
	 * unknown. */
	int64_t *spread_ns;
	double *beta_pct; /* as given, NaN unknown; NULL: dur_ns / iteration */
	struct pattern_launch launch;
	struct kernel_stem stem; /* set only where runs are compared */
	/* The catalog's name of the operator with the most of its time, as
	 * launch.operators lists it, else by the kernel's name alone; NULL:
	 * unknown, or one that explains nothing. With its group. Set only where
	 * runs are compared. */
	const char *operator_, *operator_group;
};

/* From which data a metric's value in an iteration was computed. An imported
 * table may have a row without a value. Then mu is NaN, and this is the basis
 * that the row gives. */
enum metric_basis {
	METRIC_SAMPLED, /* samples inside every execution */
	METRIC_PARTLY, /* samples inside some executions */
	METRIC_INTERPOLATED, /* samples inside no execution */
	METRIC_NO_ROW, /* no row for this iteration */
};

struct pattern_metric {
	uint32_t pattern; /* index into patterns.rows */
	const char *name; /* of the counter */
	/* Per iteration; NaN if it was not sampled or the function did not run. */
	double *mu, *sigma;
	uint8_t *interpolated; /* enum metric_basis */
};

struct patterns {
	uint32_t iterations_n;
	uint32_t *iteration;
	struct pattern
		*rows; /* time in all iterations descending, name, device */
	struct pattern_metric *metrics; /* by pattern, name */
	uint32_t n, metrics_n;
};

/* Limits of a table. If a run has more iterations than ITERATIONS_MAX, an
 * evenly spaced selection is stored, kept iterations first. The selection is
 * smaller if functions × iterations would exceed CELLS_MAX. If metrics ×
 * iterations exceed VALUES_MAX, only the functions with the most time have
 * metrics. */
enum {
	PATTERNS_ITERATIONS_MAX = 2000,
	PATTERNS_CELLS_MAX = 4 << 20,
	PATTERNS_VALUES_MAX = 4 << 20,
};

/* Whether the parts of an all-to-all have equal sizes. */
enum collective_split {
	COLLECTIVE_SPLIT_UNKNOWN,
	COLLECTIVE_SPLIT_EVEN,
	COLLECTIVE_SPLIT_UNEVEN,
};

/* Several calls that one kernel executed are one call. Texts that are unknown
 * are NULL, numbers -1. */
struct collective_call {
	enum collective_kind kind;
	enum collective_split split;
	enum dtype dtype;
	int64_t elements, bytes; /* as nccl-tests count them */
	const char *group; /* name of the process group */
	const char *ranks; /* "[0, 1, 2, 3]" */
	int64_t group_handle; /* valid in this process only */
	int64_t group_size;
	int64_t sequence; /* number of the call in its group */
	/* On how many nodes its ranks are; 0 unknown, for this reason. Only
	 * while a trace is analyzed. */
	int64_t nodes;
	const char *nodes_why;
};

/* A run lists at most this many lines of collectives with their sizes; the
 * calls of other sizes share lines whose size is unknown. A line takes about
 * 250 bytes of the database, a call at most 24. */
enum { COLLECTIVES_SIZED_MAX = 1000 };

/* The single launches of a kernel that executed equal collective calls, in the
 * order of their starts, so that the ranks of a job can be compared with each
 * other. */
struct collective {
	const char *name; /* as profile.kernels shows it */
	int32_t device;
	int64_t stream;
	struct collective_call call; /* its sequence is -1 */
	uint32_t n;
	int64_t *start_ns, *dur_ns; /* start_ns: from the run's first record;
		-1 unknown */
	int64_t *sequence; /* of each call; NULL if all are unknown */
	/* What is saved if these calls overlap with computing: the mean per kept
	 * iteration, and the standard error of this mean. Lines that differ only
	 * in kernel, device or stream are calls of one collective, and the first
	 * of them has the sum. NaN: not the first, or unknown. */
	double saved_ns, saved_error_ns;
};

/* The collective of a run that saves most. */
struct saved_collective {
	enum collective_kind kind;
	enum dtype dtype;
	int64_t bytes, group_size; /* -1 unknown */
	const char *group; /* NULL unknown */
	double saved_ns, saved_error_ns;
};
struct collectives {
	struct collective *rows; /* by first start */
	uint32_t n;
};

/* What the collectives of one kind carried over the bus: only those whose size
 * and factor are known. Their bus bandwidth is bytes / total_ns. */
struct bus_sum {
	double bytes; /* Σ bytes·factor */
	int64_t calls, total_ns; /* total_ns: Σ of their durations */
};

/* Why the bytes between two ranks of an all-to-all are unknown. */
enum exchange_fault {
	EXCHANGE_FINE,
#define EXCHANGE_FAULT(code, word, text) EXCHANGE_##code,
#include "collective.def"
#undef EXCHANGE_FAULT
	EXCHANGE_FAULTS
};

/* What the all-to-alls of a run exchanged with each rank of one process
 * group. */
struct peer_exchange {
	uint32_t line; /* index into collectives.rows, of one of the calls */
	int64_t calls, known; /* how many there are, and have known parts */
	enum exchange_fault fault; /* of the first that has none */
	uint32_t peers; /* ranks of the group; 0 unknown */
	/* Bytes by the position of the other rank in the group, in the calls
	 * with known parts; NULL if there are none. */
	int64_t *sent, *received;
};
struct exchanges {
	struct peer_exchange *rows; /* by the first call */
	uint32_t n;
};

/* Limits of what is stored per run: a group of more ranks, and the groups
 * beyond this number, have no known parts. PyTorch lists the parts of at most
 * 30 ranks by default, but equal parts are known without a list. */
enum { EXCHANGE_PEERS_MAX = 1024, EXCHANGES_MAX = 64 };

/* A fact about the environment of a run: "driver" "550.54.15". fact.def lists
 * the names that comparisons check first. */
struct fact {
	const char *name, *value;
};
struct facts {
	struct fact *rows; /* by name */
	uint32_t n;
};

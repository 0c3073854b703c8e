/* iteration_parts.h - what the modules of this room offer each other: the detectors,
 * what iterations worked on, their strata, and which of them count. */
#pragma once
#include "iteration_find.h"

/* iteration_gpu.c: a process's GPU records as the detectors read them: kernels,
 * copies and opaque graphs, each with the call that launched it, and the GPU time
 * that the calls of an interval launched. */

enum iteration_gpu_kind {
	ITERATION_KERNEL,
	ITERATION_COPY,
	ITERATION_GRAPH,
	ITERATION_GPU_KINDS
};

struct iteration_gpu_rows {
	struct slice rows;
	const int64_t *start_ns, *dur_ns; /* by row of the trace */
	const uint32_t *call_of; /* from the first row of the slice on */
	uint32_t *joined; /* our own call_of, to be dropped */
	uint32_t *
		iteration; /* from the first row of the slice on; iteration_rows' */
};

/* Moments in order and the GPU time that began or was launched before each. */
struct iteration_gpu_clock {
	struct slice rows;
	const int64_t *start_ns;
	int64_t *before_ns; /* n + 1 */
};

struct iteration_gpu {
	const struct trace *t;
	const struct process *proc;
	struct iteration_gpu_rows kind[ITERATION_GPU_KINDS];
	struct iteration_gpu_clock called,
		run; /* by the host's clock, by the GPU's */
	int64_t total_ns; /* all of it */
};

/* Makes *rows, too, with no row in any iteration. False if the arena is full;
 * release in any case. */
bool iteration_gpu_init(struct iteration_gpu *g, const struct trace *t,
	const struct process *proc, const uint32_t *call_of,
	struct iteration_rows *rows, struct arena *a);

void iteration_gpu_release(struct iteration_gpu *g, struct arena *a);

/* No row is in any iteration any more. */
void iteration_gpu_forget(struct iteration_gpu *g);

/* The GPU time of a clock's rows that start in [from, to). */
int64_t iteration_gpu_clock_ns(const struct iteration_gpu_clock *c,
	int64_t from_ns, int64_t to_ns);

/* The start of the GPU's first record and the end of its last; false if
 * there is none. */
bool iteration_gpu_span(const struct iteration_gpu *g, int64_t *from_ns,
	int64_t *to_ns);

/* Assigns rows of no iteration to the iteration in whose window they start. */
void iteration_gpu_claim(struct iteration_gpu *g, const struct iterations *c);

/* Kernels and opaque graphs by name, in order of their starts over all devices and
 * streams. Beside it are the places of the main stream, on which a period is
 * searched for: of the busiest device, the stream with most launches. (The stream
 * with most time may be the one on which collectives wait for each other.) */
struct period_sequence {
	uint32_t n;
	uint32_t *name; /* a kernel's index, then numbers for graphs */
	int64_t *start_ns, *dur_ns;
	uint32_t names_n; /* names are below */
	uint32_t *main; /* places of that stream, ascending */
	uint32_t main_n;
	int64_t total_ns; /* of all durations */
};

/* In `a`, which is for scratch. False if it is full. */
bool iteration_gpu_sequence(struct period_sequence *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a);

/* iteration_strata.c: what each iteration worked on, and which iterations did the
 * same work. */

/* Hashed as bytes, so it has no gaps. */
struct iteration_item {
	uint32_t
		name; /* an operator's, in trace.names; an index in p->kernels */
	uint32_t size; /* dims, in trace.names; id in grids */
};

struct iteration_items {
	enum work_kind kind;
	struct names keys; /* of struct iteration_item; id = item + 1 */
	uint32_t n; /* items */
	uint32_t names_n; /* names are below */
	uint32_t *entry; /* items, iteration by iteration */
	uint32_t *from; /* iteration i's are from[i]…from[i + 1] */
	struct names grids; /* WORK_GRID: int32_t[3] */
};

/* Fills *ops and *grids; makes p->iterations.strata, in order of first sight, and
 * sets their iterations' stratum; counts no kept iterations yet. `a` is for scratch,
 * except for what belongs to p. False if memory is full. */
bool iteration_strata_find(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, struct arena *a,
	struct iteration_items *ops, struct iteration_items *grids);

/* Counts kept iterations, and puts the strata that have most first. Then makes
 * p->iterations.works, by stratum, operators before grids, most frequent first, then
 * by name and size; at most ITERATIONS_WORKS_MAX of each. Kernels whose grid is
 * unknown are left out. False if memory is full. */
bool iteration_strata_rank(const struct iteration_items *ops,
	const struct iteration_items *grids, const struct trace *t,
	struct profile *p, struct arena *a);

/* iteration_ranges.c */

struct iteration_ranges {
	uint32_t *row; /* of trace.range, ascending by start */
	uint32_t n; /* 0: none */
	const char *name; /* without numbers */
	bool gpu; /* as the GPU saw them */
	bool step; /* it says so itself */
};

/* The best group, or the best after `passed` others; n is 0 if there is no
 * further one. Release row with arena_drop(). False if the arena is full. */
bool iteration_ranges_find(const struct iteration_gpu *g, uint32_t passed,
	struct arena *a, struct iteration_ranges *out);

/* The ranges of the name that the caller gave; ERR_NOT_FOUND, with names that
 * repeat, if there are none. */
bool iteration_ranges_named(const struct iteration_gpu *g, const char *given,
	struct arena *a, struct iteration_ranges *out, struct err *e);

/* Fills out->iterations and out->n, and assigns rows. False if the arena is full. */
bool iteration_ranges_windows(struct iteration_gpu *g,
	const struct iteration_ranges *r, struct arena *a,
	struct iterations *out);

/* period_detector.c */

/* Fills out->iterations, n and range, and which rows are whose; n stays 0 if
 * there is no period. False if the arena is full. */
bool period_detector_find(struct iteration_gpu *g, const uint32_t *kernel_of,
	struct profile *p);

/* Whether the windows of p->iterations, whose times are still the trace's, are a
 * period of the kernels' names: similar, and a name in one is in all. */
bool period_detector_agrees(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, bool *agrees);

/* iteration_parts.h - the functions that files of this folder call in each
 * other: GPU records, the detectors, and strata. */
#pragma once
#include "iteration_find.h"

/* iteration_gpu.c: the GPU records of a process (kernels, copies and opaque
 * graphs) with the API calls that launched them, and the GPU time that the API
 * calls of an interval launched. The detectors read these. */

enum iteration_gpu_kind {
	ITERATION_KERNEL,
	ITERATION_COPY,
	ITERATION_GRAPH,
	ITERATION_GPU_KINDS
};

struct iteration_gpu_rows {
	struct slice rows;
	const int64_t *start_ns, *dur_ns; /* by row of the trace */
	const uint32_t *call_of; /* index 0: the first row of the slice */
	uint32_t *joined; /* call_of if it was computed here; to be dropped */
	uint32_t *iteration; /* of iteration_rows; index 0: the first row of the
			slice */
};

/* Rows by start, and for each the GPU time that began (or was launched) before
 * it. */
struct iteration_gpu_clock {
	struct slice rows;
	const int64_t *start_ns;
	int64_t *before_ns; /* n + 1 */
};

struct iteration_gpu {
	const struct trace *t;
	const struct catalog *catalog;
	const struct process *proc;
	struct iteration_gpu_rows kind[ITERATION_GPU_KINDS];
	struct iteration_gpu_clock called,
		run; /* by the host's clock, by the GPU's */
	int64_t total_ns; /* GPU time of all rows */
};

/* Fills *g and *rows; no row is in an iteration yet. False if the arena is
 * full. Call iteration_gpu_release() in any case. */
bool iteration_gpu_init(struct iteration_gpu *g,
	const struct iteration_input *in, struct iteration_rows *rows,
	struct arena *a);

void iteration_gpu_release(struct iteration_gpu *g, struct arena *a);

/* Removes all rows from their iterations. */
void iteration_gpu_forget(struct iteration_gpu *g);

/* The GPU time of a clock's rows that start in [from, to). */
int64_t iteration_gpu_clock_ns(const struct iteration_gpu_clock *c,
	int64_t from_ns, int64_t to_ns);

/* The start of the GPU's first record and the end of its last; false if
 * there is none. */
bool iteration_gpu_span(const struct iteration_gpu *g, int64_t *from_ns,
	int64_t *to_ns);

/* Assigns each row that is in no iteration to the iteration in whose window the
 * row starts. */
void iteration_gpu_claim(struct iteration_gpu *g, const struct iterations *c);

/* The names of kernels and opaque graphs, in the order of their starts over all
 * devices and streams. `main` lists the positions of the main stream, on which
 * a period is searched for. It is the stream with the most launches on the
 * busiest device. (The stream with the most time may be the one on which
 * collectives wait for each other.) */
struct period_sequence {
	uint32_t n;
	uint32_t *name; /* a kernel's index; graphs have the numbers above */
	int64_t *start_ns, *dur_ns;
	uint32_t names_n; /* all names are below this */
	uint32_t *main; /* positions of the main stream, ascending */
	uint32_t main_n;
	int64_t total_ns; /* of all durations */
};

/* Allocates the sequence from `a`, an arena for temporary data. False if it is
 * full. */
bool iteration_gpu_sequence(struct period_sequence *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a);

/* iteration_strata.c: what each iteration worked on, and which iterations did the
 * same work. */

/* Hashed as bytes, so it must contain no padding. */
struct iteration_item {
	uint32_t
		name; /* an operator's, in trace.names; an index in p->kernels */
	uint32_t size; /* dims, in trace.names; id in grids */
};

struct iteration_items {
	enum work_kind kind;
	struct names keys; /* of struct iteration_item; id = item + 1 */
	uint32_t n; /* items */
	uint32_t names_n; /* all names are below this */
	uint32_t *entry; /* items, one iteration after the other */
	uint32_t *from; /* iteration i has entries from[i] to from[i + 1] - 1 */
	struct names grids; /* WORK_GRID: grid and block, int32_t[6] */
};

/* Fills *ops and *grids. Makes p->iterations.strata in the order of their first
 * iterations, and sets the stratum of each iteration. Does not count kept
 * iterations yet. `a` contains temporary data, and the members of p. False if
 * the arena is full. */
bool iteration_strata_find(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, struct arena *a,
	struct iteration_items *ops, struct iteration_items *grids);

/* Counts kept iterations and sorts the strata by this count, largest first.
 * Then makes p->iterations.works: sorted by stratum, operators before grids,
 * most frequent first, then by name and size. It has at most
 * ITERATIONS_WORKS_MAX entries per stratum and kind. Kernels whose grid is
 * unknown are omitted. False if the arena is full. */
bool iteration_strata_rank(const struct iteration_items *ops,
	const struct iteration_items *grids, const struct trace *t,
	struct profile *p, struct arena *a);

/* iteration_ranges.c */

struct iteration_ranges {
	uint32_t *row; /* of trace.range, ascending by start */
	uint32_t n; /* 0: none */
	const char *name; /* without numbers */
	bool gpu; /* ranges on the GPU's timeline */
	bool step; /* the name says that the range is a step */
};

/* Finds the best group after the `passed` better ones; out->n is 0 if there is
 * none. Release out->row with arena_drop(). False if the arena is full. */
bool iteration_ranges_find(const struct iteration_gpu *g, uint32_t passed,
	struct arena *a, struct iteration_ranges *out);

/* Finds the ranges with the name that the caller gives. If there are none:
 * ERR_NOT_FOUND, whose text lists names that repeat. */
bool iteration_ranges_named(const struct iteration_gpu *g, const char *given,
	struct arena *a, struct iteration_ranges *out, struct err *e);

/* Fills out->iterations and out->n, and assigns rows. False if the arena is full. */
bool iteration_ranges_windows(struct iteration_gpu *g,
	const struct iteration_ranges *r, struct arena *a,
	struct iterations *out);

/* period_detector.c */

/* Fills iterations, n and range of p->iterations, and assigns rows to
 * iterations. n stays 0 if there is no period. False if the arena is full. */
bool period_detector_find(struct iteration_gpu *g, const uint32_t *kernel_of,
	struct profile *p);

/* Whether the windows of p->iterations are a period of the kernels' names: the
 * windows are similar, and a name that occurs in one occurs in all. The times
 * of the windows must still count from the trace's base. */
bool period_detector_agrees(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, bool *agrees);

/* energy_fit.c: the energy of windows of time, divided between the idle power of a
 * GPU and the operators that it executed. */

/* Fits without one of 20 blocks give the error 19 degrees of freedom. A block has
 * at least three windows, and a cause at least five. tests/sim/sim_energy.c counts
 * how often intervals of such fits contain the truth. */
enum {
	ENERGY_FIT_CAUSES = 18,
	ENERGY_FIT_BLOCKS = 20,
	ENERGY_FIT_PER_BLOCK = 3,
	ENERGY_FIT_PER_CAUSE = 5
};

/* A cause has no energy of its own if less than this part of its time is
 * independent of the others' times (of the root of the mean square over the
 * windows). The ends of a window may be wrong by a tenth of its length, which makes
 * such energies wrong. If 0.2 is enough, 72 % of the intervals of steps of 0.73 s
 * contain the truth in tests/sim/sim_energy.c; with 0.25 these have no interval, and
 * 92 to 98 % of the other intervals contain it. */
#define ENERGY_FIT_INDEPENDENT 0.25

static inline uint32_t energy_fit_windows_min(uint32_t causes)
{
	uint32_t blocks = ENERGY_FIT_PER_BLOCK * ENERGY_FIT_BLOCKS;
	uint32_t n = ENERGY_FIT_PER_CAUSE * causes;

	return n > blocks ? n : blocks;
}

/* Launches of a device by their starts. No cause is 0. */
struct energy_launches {
	const int64_t *start_ns, *dur_ns;
	const uint8_t *cause;
	uint32_t n;
};

/* The kernels, copies and opaque graphs of a device, and windows of time in order
 * and without overlap. Cause 0 is idle power, which has the whole window. */
enum { ENERGY_LAUNCHES = 3 };
struct energy_windows {
	const int64_t *from_ns, *to_ns;
	const double *energy_j;
	uint32_t n, causes;
	struct energy_launches launches[ENERGY_LAUNCHES];
	/* A counter may return the energy or power of an earlier moment. The
	 * delay from 0 to this one with which the fit is best is used. */
	int64_t delay_max_ns;
};

/* The power of a cause while it has time, in addition to that of the others. */
struct energy_share {
	double watts; /* at least 0 */
	double low_w, high_w; /* 95 % interval; contains `watts` */
	enum {
		ENERGY_SHARE_KNOWN,
		ENERGY_SHARE_DEPENDENT, /* see ENERGY_FIT_INDEPENDENT */
		ENERGY_SHARE_WIDE /* the interval is wider than the power */
	} state;
};

/* Fills out[w->causes]: E = Σ watts · time of each window, with the least squared
 * error. Requires energy_fit_windows_min() windows and at most ENERGY_FIT_CAUSES
 * causes. False if the arena is full. */
bool energy_fit(const struct energy_windows *w, struct arena *a,
	struct energy_share *out);

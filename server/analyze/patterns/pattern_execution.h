/* pattern_execution.h - lists all executions of a run with their functions and
 * iterations.
 *
 * Executions are launches of kernels, replays of opaque graphs, copies and
 * sets, and API calls in which the host waits. The CPU time of the process's
 * threads is one execution per thread total and iteration. iteration_find()
 * assigns GPU rows to iterations. An API call belongs to the iteration in whose
 * window it starts. Executions outside of iterations are not listed. */
#pragma once
#include "iteration_find.h"
#include "pattern_table.h"
#include "profile.h"
#include "trace.h"

/* Per iteration: the time that threads run on a CPU, and the time that they
 * wait for a CPU. */
enum { THREAD_TOTALS = 2 };

struct thread_total {
	const char *name;
	enum function_type type;
	uint32_t id; /* its name in the trace; 0: there is none */
	/* By iteration of the run; -1 beyond the readings. NULL: unknown. */
	int64_t *dur_ns;
};

struct thread_time {
	struct thread_total total[THREAD_TOTALS];
};

struct execution {
	/* From trace.base_ns. Thread time starts with its iteration, and may
	 * be longer than that. */
	int64_t start_ns, dur_ns;
	uint32_t function, iteration;
};

enum { EXECUTION_THREADS = 4, EXECUTION_KINDS };

struct executions {
	struct execution *list; /* by kind, then by start */
	uint32_t end[EXECUTION_KINDS]; /* end of each kind in the list */
	uint32_t n;
	struct pattern_function *functions; /* total_ns -1 */
	uint32_t functions_n, functions_cap;
	struct names keys; /* id = function + 1 */
	struct thread_time threads;
	/* Indexed by the id of an API call's name. One call may have several
	 * names; the value is the id of the first name. NAMES_NONE if the host
	 * does not wait in this call. */
	uint32_t *sync;
};

/* Returns false if the arena is full; release in any case. */
bool pattern_executions_from(struct executions *x, const struct trace *t,
	uint32_t process, const uint32_t *kernel_of,
	const struct iteration_rows *rows, struct profile *p);
void pattern_executions_release(struct executions *x, struct arena *a);

/* Fills spread_ns of p->patterns.rows from the executions in kept iterations;
 * it stays NULL if there are none. `row_of` is the row of each function. If a
 * function has more than PATTERN_SPREAD_FROM executions, an evenly spaced
 * selection is used. Returns false if the arena is full. */
enum { PATTERN_SPREAD_FROM = 4096 };
bool pattern_execution_spread(const struct executions *x,
	const uint32_t *row_of, struct profile *p);

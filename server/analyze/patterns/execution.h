/* execution.h - what ran, one by one: of which function, in which cycle.
 *
 * Kernels, opaque graphs, copies and sets, calls in which the host waits, and,
 * as one execution per cycle, what thread_time.h tells of the process's threads.
 * What a row of the GPU is of, cycle_find() said; a call is of the cycle whose
 * window holds its start. What is of no cycle is not listed. */
#pragma once
#include "cycle_find.h"
#include "pattern_rows.h"
#include "profile.h"
#include "thread_time.h"
#include "trace.h"

struct execution {
	/* From trace.base_ns. Threads' time has its cycle's start, and may be
	 * longer than that. */
	int64_t start_ns, dur_ns;
	uint32_t function, cycle;
};

enum { EXECUTION_THREADS = 4, EXECUTION_KINDS };

struct executions {
	struct execution *list; /* kind by kind, each in order of starts */
	uint32_t end[EXECUTION_KINDS]; /* where each kind's end in it */
	uint32_t n;
	struct pattern_function *functions; /* total_ns -1 */
	uint32_t functions_n, functions_cap;
	struct names keys; /* id = function + 1 */
};

/* False where the arena is full; release in any case. */
bool executions_from(struct executions *x, const struct trace *t,
	uint32_t process, const uint32_t *kernel_of,
	const struct cycle_rows *rows, const struct thread_time *threads,
	const struct profile *p);
void executions_release(struct executions *x, struct arena *a);

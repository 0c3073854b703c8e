/* thread_time.h - time on CPUs and time waiting for one, per iteration, from totals.
 *
 * kernsift's collector reads how long a process's threads have run and waited
 * so far (`oncpu`, `runq`: collector/counters/counters.def). An iteration's share is the
 * difference between its ends, each taken on the line between the readings
 * around it. If an iteration that counts is beyond the readings, no iteration has
 * a figure, since that one would count as zero; a note records it. */
#pragma once
#include "profile.h"
#include "trace.h"

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

/* Needs p->iterations. False if the arena is full; release in any case. */
bool thread_time_from(struct thread_time *s, const struct trace *t,
	const struct process *proc, struct profile *p);
void thread_time_release(struct thread_time *s, struct arena *a);

/* Whether a sample is such a total, which is no resource in use. */
bool thread_time_is_total(const struct thread_time *s, uint32_t name,
	int32_t device);

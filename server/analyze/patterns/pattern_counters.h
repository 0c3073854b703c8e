/* pattern_counters.h - what the counters were while each function ran. */
#pragma once
#include "execution.h"

/* Fills p->patterns.metrics: functions of a GPU get every counter of their
 * device, those of the host every counter of the host. `place` and `row_of` as
 * of pattern_choice.h and pattern_rows.h. False where the arena is full. */
bool pattern_counters(const struct trace *t, const struct process *proc,
	const struct executions *x, const uint32_t *place,
	const uint32_t *row_of, const struct thread_time *threads,
	struct profile *p);

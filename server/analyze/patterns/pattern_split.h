/* pattern_split.h - where each cycle's time goes.
 *
 * Unions over all devices, clipped to the cycle's window, whosever the records
 * are: compute, collectives beyond it, copies beyond both, and idle, which is
 * the rest. The four close to the nanosecond. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills the times of p->cycles; False where the arena is full. */
bool pattern_split(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, struct profile *p);

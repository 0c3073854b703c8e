/* pattern.h - time per function, device and iteration, with its counters.
 *
 * Functions are kernels, copies and sets, opaque graphs, and API calls in which
 * the host waits. model/patterns.h contains the definitions. */
#pragma once
#include "iterations.h"
#include "profile.h"
#include "trace.h"

struct attribution;
struct collective_calls;
struct iteration_rows;

/* Fills p->patterns and the parts of each iteration's time in
 * p->iterations.iterations; needs p->kernels and p->iterations. Returns false if the arena
 * is full. */
bool pattern_from(const struct trace *t, uint32_t process,
	const uint32_t *kernel_of, const struct iteration_rows *rows,
	struct profile *p);

/* Fills `launch` of the rows of at->profile->patterns that are kernels, from
 * the launches in kept iterations. Requires the attribution of each launch.
 * False if the arena is full. */
bool pattern_launch_from(const struct attribution *at,
	const struct iteration_rows *rows);

/* Fills p->collectives. */
bool collectives_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const struct collective_calls *calls,
	struct profile *p);

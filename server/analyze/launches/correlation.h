/* correlation.h - finds the API call that launched each kernel.
 *
 * A kernel and its API call have the same correlation number within a process.
 * Numbers of 0 and below are ignored. Each kernel gets at most one call, so
 * that it is counted once.
 *
 * Several calls may have the correlation of a kernel: nested runtime and driver
 * calls in old files, or numbers that restarted. Then the last call that began
 * no later than the kernel is used, or the first call if all began later. Of
 * nested calls on one thread the outermost is used.
 *
 * All kernels of a graph replay have the correlation of the call that launched
 * the graph, so they all get that call. */
#pragma once
#include "trace.h"

enum { CORRELATION_NONE = UINT32_MAX };

/* Stores in *call_of, for each kernel of the process, the row of its API call
 * or CORRELATION_NONE. The caller releases *call_of with arena_drop(). False if
 * the arena is full. */
bool correlation_join(const struct trace *t, const struct process *proc,
	struct arena *a, uint32_t **call_of);

/* Does the same for rows of another kind (copies, graphs), which are given by
 * their columns. */
bool correlation_join_rows(const struct trace *t, const struct process *proc,
	const int64_t *correlation, const int64_t *start_ns, struct slice rows,
	struct arena *a, uint32_t **call_of);

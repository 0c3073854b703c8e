/* correlation.h - which call launched which kernel.
 *
 * A kernel and its call carry the same correlation, within a process; numbers
 * of 0 and below join nothing. A kernel has one call, so that it is counted
 * once, whatever the file holds. If several calls have its correlation (nested
 * runtime and driver calls of old files; numbers that restarted), it is the
 * last that began no later than the kernel, or the first of all if none did.
 * Of nested calls on one thread it is the outermost.
 *
 * All kernels of a graph's replay share the correlation, and so the call, that
 * launched the graph. */
#pragma once
#include "trace.h"

enum { CORRELATION_NONE = UINT32_MAX };

/* *call_of gets a row of the calls, or CORRELATION_NONE, for each of the
 * process's kernels; it is to be arena_drop()ped. False if the arena is
 * full. */
bool correlation_join(const struct trace *t, const struct process *proc,
	struct arena *a, uint32_t **call_of);

/* The same of rows of another kind, by their columns: copies, graphs. */
bool correlation_join_rows(const struct trace *t, const struct process *proc,
	const int64_t *correlation, const int64_t *start_ns, struct slice rows,
	struct arena *a, uint32_t **call_of);

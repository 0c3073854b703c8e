/* cycle_ops.h - which operator made a call.
 *
 * The innermost one with Input Dims that was open on the call's thread when it
 * began: what a framework itself calls its kernels' sizes. */
#pragma once
#include "trace.h"

enum { CYCLE_OPS_NONE = UINT32_MAX };

/* *op_of gets a row of the operators, or CYCLE_OPS_NONE, for each of the
 * process's calls; NULL where no operator tells dims. In `a`, for scratch;
 * false where it is full. */
bool cycle_ops_find(const struct trace *t, const struct process *proc,
	struct arena *a, uint32_t **op_of);

/* launches.h - computes the times from an API call to the end of its kernel.
 *
 * The table is nsys' cuda_kern_exec_sum. Each kernel is joined with its API
 * call (correlation.h). Launches are grouped by the thread and the name of the
 * call, and by the device and the name of the kernel. Each launch has these
 * times:
 *
 *   total       from the call's start to the end of the call or of the kernel,
 *               whichever is later
 *   api_call    the call's duration
 *   queue       from the call's end to the kernel's start; none if the kernel
 *               began before the call ended
 *   kernel_run  the kernel's duration
 *
 * As in nsys, a call that launches a graph is joined with every kernel of the
 * replay, so the totals and queues of these kernels overlap. Also as in nsys, a
 * suffix of `_v` and four digits is removed from the call's name, but a longer
 * suffix is not: cudaLaunchKernel_v7000 becomes cudaLaunchKernel, and
 * cudaGraphLaunch_v10000 does not change.
 *
 * Order: average total descending, instances ascending, then thread, API and
 * kernel name bytewise and device. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->launch_stats. `kernel_of` and `call_of` are by kernel row of the
 * process. False if the arena is full. */
bool launches_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p);

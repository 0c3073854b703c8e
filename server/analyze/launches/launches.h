/* launches.h - how long it takes from a call to the end of its kernel.
 *
 * nsys' cuda_kern_exec_sum: each kernel with its call (see correlation.h),
 * grouped by the call's thread, the kernel's device, the call's name
 * and the kernel. Per launch
 *
 *   total       from the call's start to its end or the kernel's, the later
 *   api_call    the call's duration
 *   queue       from the call's end to the kernel's start; a kernel that began
 *               before is in no queue's statistics
 *   kernel_run  the kernel's duration
 *
 * As in nsys, a graph's launch counts for every kernel it replays, so that
 * their totals and queues overlap; and the call's name loses a suffix of `_v`
 * and four digits, but no longer one (cudaLaunchKernel_v7000 is
 * cudaLaunchKernel, cudaGraphLaunch_v10000 stays).
 *
 * Order: average total descending, instances ascending, then thread, API and
 * kernel name bytewise and device. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->launch_stats; `kernel_of` and `call_of` are by kernel row of the
 * process. False if the arena is full. */
bool launches_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p);

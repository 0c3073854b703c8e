/* wait_causes.h - finds the cause of each idle nanosecond of an iteration.
 *
 * An idle interval is the time in which no record (kernel, collective, copy,
 * set or graph replay) runs on any device of the process, as in idle_ns
 * (iterations.h). With several devices, time in which one of them waits while
 * another works is not idle. The first record that begins on any device ends the
 * interval. The API call that launched this record (correlation.h) divides the
 * interval by time:
 *
 *   when                   cause, the first that applies
 *   before the API call    synchronization    the launching thread is inside a
 *     begins                                  call of sync_call.def
 *                          copy_wait          it is inside a blocking copy
 *                          host_gap           it does anything else
 *   while the API call     launch_bound
 *     runs
 *   after the API call     graph_launch       the record before the interval is
 *     returned                                of the same graph launch
 *                          stream_dependency  the API call returned before the
 *                                             interval began, and the record
 *                                             before the interval is of another
 *                                             stream or device
 *                          unknown            anything else, such as the time
 *                                             that a GPU needs to start a
 *                                             kernel
 *   at any time            unknown            the record has no known API call
 *
 * Time is divided before anything else is compared, because the host cannot
 * wait for a launch that it has not begun, and the GPU cannot begin a record
 * that it has not received. Of nested API calls the outermost is used, because
 * this is the one that the program called.
 *
 * - Only the launching thread is examined. Another thread that waits for the
 *   device, such as a watchdog, does not delay the launch.
 * - A blocking copy is a call such as cudaMemcpy, without "Async" in its name,
 *   or a call whose copy writes to pageable memory of the host. CUDA returns
 *   from the latter only after the copy ("API synchronization behavior").
 * - If an API call begins after its record does, the clocks of the host and the
 *   GPU disagree. The whole interval is then before the API call. The fault is
 *   at most this disagreement.
 * - If the API call of a record is not in the trace, but a kernel before the
 *   interval has the same correlation, both are of one graph launch.
 * - An interval that no record ends is synchronization or copy_wait while the
 *   thread of the last known launch is in such a call, and else unknown.
 * - In a trace without API calls every cause is unknown.
 * - cudaStreamWaitEvent is not used, because the records of API calls do not
 *   name a stream. Waiting for the peers of a collective is no cause of idle
 *   time: a collective that waits is a kernel that runs (collectives/ranks.h
 *   divides its time).
 *
 * One sweep over records, API calls, and the ranges and operators of launching
 * threads. Its time is n log n, from sorting correlations. Needs about 25 bytes
 * per API call, and 4 bytes per copy, graph replay, range and operator. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->waits. Needs p->iterations with their times; `call_of` is by kernel
 * row of the process: its API call. False if the arena is full. */
bool wait_causes_from(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct profile *p);

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

/* ---- the longest idle intervals of the kept iterations, one by one */

enum wait_record {
	WAIT_RECORD_NONE, /* the interval begins or ends with the recording */
	WAIT_RECORD_KERNEL,
	WAIT_RECORD_GRAPH, /* a replay that was recorded as a whole */
	WAIT_RECORD_COPY, /* a copy or a set */
	WAIT_RECORDS
};

/* A record at an end of an interval. */
struct wait_gap_end {
	enum wait_record kind;
	const char *name; /* NULL: none */
	int64_t stream;
	int32_t device;
};

struct wait_gap {
	/* Where its part in kept iterations begins, counted as their starts */
	int64_t start_ns;
	int64_t idle_ns; /* in kept iterations; the causes add up to it */
	int64_t cause_ns[WAIT_CAUSES];
	int64_t iteration; /* number of the kept iteration where it begins */
	struct wait_gap_end before, after;
	const char *call; /* the API call that launched `after`; NULL unknown */
	/* What was open around this call, the outermost first. The API call is
	 * not part of it. */
	struct frame *path; /* `parent` is unused */
	uint32_t path_n;
	bool path_cut;
	/* Of the cause with the most time, the longest part in which the host was
	 * in one API call, or one range or operator was innermost; name NULL: none
	 * is known. */
	struct wait_name host;
};

struct wait_gaps {
	struct wait_gap *rows; /* longest first; of equal ones the earliest */
	uint32_t n;
	int64_t all, all_ns; /* intervals in kept iterations, and their time */
};

/* Finds the `most` longest intervals. Needs p->iterations with their starts and
 * durations, and `call_of` as above; p->arena has temporary data. The result is in
 * `a`, also its texts. False if an arena is full. */
bool wait_causes_gaps(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, const struct profile *p, uint32_t most,
	struct arena *a, struct wait_gaps *out);
/* A part of an idle interval that has one cause. */
struct wait_part {
	int64_t start_ns, dur_ns; /* start_ns as in the trace */
	enum wait_cause cause;
};

/* Lists the idle intervals of a window of the trace, with or without
 * iterations, in the order of time. An interval has a part for each cause in
 * it. The list is in the arena; false if the arena is full. */
bool wait_causes_parts(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, int64_t from_ns, int64_t to_ns,
	struct arena *a, struct wait_part **parts, uint32_t *n);

/* launch_spread.h - how the launches of one kernel differ: a histogram of their
 * durations, slices of time, and streams.
 *
 * Statistics are those of the kernel table (stats.h). */
#pragma once
#include "arena.h"
#include "profile_time.h"

/* The launches in any order; each takes 0 to TRACE_TIME_MAX_NS. */
struct launch_times {
	int64_t *start_ns, *dur_ns;
	int32_t *device;
	int64_t *stream;
	uint32_t n;
};

/* Launches with durations in [from_ns, to_ns). */
struct launch_bin {
	int64_t from_ns, to_ns;
	int64_t launches;
};
/* Launches that start in [from_ns, to_ns). */
struct launch_slice {
	int64_t from_ns, to_ns;
	struct time_stats is; /* instances 0: none, and all else is 0 */
};
struct launch_stream {
	int32_t device;
	int64_t stream;
	struct time_stats is;
};

/* Bins have equal widths on a logarithmic axis, except that bounds are whole
 * nanoseconds. There are as many as LAUNCH_BINS allow, because the durations of
 * most kernels differ by a few percent, and of others a thousandfold. */
enum { LAUNCH_BINS = 60, LAUNCH_SLICES = 100 };

struct launch_spread {
	struct time_stats all;
	struct launch_bin *bins;
	struct launch_slice *slices; /* of equal length, in order */
	struct launch_stream *streams; /* most time first */
	uint32_t bins_n, slices_n, streams_n;
};

/* Computes the spread of n > 0 launches, in the arena. Reorders `t`. */
void launch_spread_from(struct launch_times *t, struct arena *a,
	struct launch_spread *out);

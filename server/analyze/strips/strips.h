/* strips.h - a run as strips of a timeline: what each stream, each nesting level
 * of a thread's ranges, and the idle GPU did when.
 *
 *   iterations    as given by the caller
 *   ranges        annotations, NVTX ranges and modules of one thread; one strip
 *                 per nesting level, the outermost first
 *   gpu_ranges    likewise, ranges that the trace has on the timeline of a GPU
 *   idle          time in which no record runs on any device of the process; an
 *                 item is a part with one cause (wait_causes.h)
 *   stream        kernels, copies, memory sets and opaque graph replays of one
 *                 stream of one device
 *
 * Items of a strip are in the order of their starts. Times count from the first
 * record of the process, like those of iterations.
 *
 * strips_window() returns a window at a level of detail. An item that is at least
 * one bin long is a segment of its own. Consecutive shorter items that start in
 * the same bin are one segment, so a strip has at most about two segments per
 * bin. The sums by name are exact at any level of detail: over the whole run,
 * those of kernels are the kernel table. */
#pragma once
#include "iterations.h"
#include "trace.h"

struct catalog;

enum strip_kind {
	STRIP_ITERATIONS,
	STRIP_RANGES,
	STRIP_GPU_RANGES,
	STRIP_IDLE,
	STRIP_STREAM,
	STRIP_KINDS
};

enum strip_name_kind {
	STRIP_NAME_KERNEL,
	STRIP_NAME_COPY,
	STRIP_NAME_SET,
	STRIP_NAME_GRAPH,
	STRIP_NAME_CAUSE, /* of idle time; the text is its word in the API */
	STRIP_NAME_RANGE,
	STRIP_NAME_MODULE,
	STRIP_NAME_ITERATION,
	STRIP_NAME_EXCLUDED, /* an iteration that comparisons do not use */
	STRIP_NAME_KINDS
};

struct strip_name {
	const char *text;
	enum strip_name_kind kind;
};

/* Ranges nested deeper than this have no strip. Ranges of users are rarely
 * nested deeper; each level takes a strip of the drawing. */
enum { STRIP_DEPTH_MAX = 8 };

struct strip {
	enum strip_kind kind;
	int32_t device; /* STRIP_STREAM; else -1 */
	int64_t stream;
	const char *thread; /* ranges; else NULL */
	uint32_t depth; /* ranges: 0 the outermost */
	struct slice items;
	int64_t longest_ns; /* of its items */
};

struct strips {
	struct strip *list; /* by kind, device and stream, thread and depth */
	uint32_t n;
	int64_t *start_ns, *dur_ns; /* by item */
	uint32_t *name; /* by item: index in names */
	uint32_t items_n;
	struct strip_name *names;
	uint32_t names_n;
	int64_t end_ns; /* no item is later; at least 1 */
	int64_t deeper; /* ranges without a strip */
};

/* Fills `out`, in the arena, from one process of a trace. Iterations have times
 * from the first record; those without a time are left out. False if the arena
 * is full. */
bool strips_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct iterations *iterations,
	struct arena *a, struct strips *out);

struct strip_segment {
	int64_t start_ns, dur_ns; /* not cut at the ends of the window */
	int64_t busy_ns; /* sum over its items */
	uint32_t count; /* of items; 1: the segment is this item */
	uint32_t name; /* with the most time among its items */
};

/* The sums of one name, or of all further names of a kind (STRIPS_OTHERS). */
struct strip_total {
	uint32_t name;
	enum strip_name_kind kind;
	int64_t count; /* items that the window contains or cuts */
	int64_t time_ns; /* their time in the window */
};
enum { STRIPS_OTHERS = UINT32_MAX };

struct strips_window {
	int64_t from_ns, to_ns, bin_ns;
	struct strip_segment *segments;
	struct slice *of_strip; /* segments of each strip */
	bool *shown; /* by strip */
	/* by kind of name, then most time first; STRIPS_OTHERS is the last of
	 * its kind */
	struct strip_total *totals;
	uint32_t totals_n;
};

/* What an answer has at most, whatever the trace contains and the client
 * requests: strips of each kind, names of each kind, and segments of all strips
 * (about 100 bytes each as a JSON value). A drawing of 2,000 pixels with 30 busy
 * strips has 120,000 segments. */
enum {
	STRIPS_SHOWN_MAX = 64,
	STRIPS_NAMES_MAX = 2000,
	STRIPS_SEGMENTS_MAX = 160000
};

/* Computes the window [from_ns, to_ns), which is not empty, in bins of at least
 * 1 ns. There are fewer bins than requested if many strips would have more than
 * STRIPS_SEGMENTS_MAX segments. Memory is in the arena, which has no ceiling.
 * Totals are over all strips, also over those that are not shown. */
void strips_window(const struct strips *s, int64_t from_ns, int64_t to_ns,
	uint32_t bins, struct arena *a, struct strips_window *out);

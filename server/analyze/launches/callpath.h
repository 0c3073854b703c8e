/* callpath.h - finds the ranges and operators that were open on a thread at a
 * moment: the call path.
 *
 * A path lists the annotations, modules, Python functions and operators that
 * were open on the thread (start <= moment < end), the outermost first. Of
 * spans that begin at the same time the longer one is further out. Spans with
 * the same start and duration are ordered ranges before operators, then as in
 * the trace. Spans without a duration are left out. A range that overlaps
 * another without being nested in it is in the path while it is open. Ranges
 * that may change threads (RANGE_LOOSE) and ranges on the GPU are in no path. A
 * moment on an unknown thread has no path.
 *
 * A path has at most CALLPATH_DEPTH frames, and the tree of all paths is
 * bounded. If a limit is reached, the innermost frames are left out and `cut`
 * is set. */
#pragma once
#include "frame_tree.h"

enum { CALLPATH_DEPTH = 512, CALLPATH_NO_OP = UINT32_MAX };

struct callpath {
	int64_t at_ns;
	uint32_t thread;
	uint32_t
		op; /* the path ends with this operator's row; CALLPATH_NO_OP */
	uint32_t frame; /* result: the innermost; 0 if nothing was open */
	bool cut; /* result: frames within it were left out */
};

/* Finds the frames of `n` moments, which must ascend. Needs about 4 bytes of
 * scratch memory per span, per moment and per name. Its time is proportional to
 * the number of spans plus the number of frames of all paths. False if the
 * arena is full. */
bool callpath_find(struct frame_tree *ft, const struct process *proc,
	struct callpath *paths, uint32_t n);

/* The spans of each thread, in the order in which paths contain them. Spans that
 * are in no path are left out. Call callpath_spans_init(), then
 * callpath_spans_want() for each thread, then callpath_spans_fill(). Needs 4
 * bytes per span of these threads. */
struct callpath_spans {
	const struct trace *t;
	uint32_t *number_of; /* by id of the thread's text: its lane; 0 none */
	uint32_t n; /* lanes, numbered from 1 */
	uint32_t *from; /* lane l's spans are from[l]…from[l + 1] */
	uint32_t *spans; /* a range's row; from t->range.n on, an operator's */
};

struct callpath_span {
	int64_t start_ns, end_ns;
	uint32_t name;
	enum frame_kind kind;
	uint32_t op; /* the operator's row, UINT32_MAX if it is a range */
};

/* Starts without lanes. False if the arena is full. */
bool callpath_spans_init(struct callpath_spans *l, const struct trace *t,
	struct arena *a);
/* Makes the lane of a thread. Unknown threads have no lane. */
void callpath_spans_want(struct callpath_spans *l, uint32_t thread);
/* Fills the lanes. False if the arena is full. */
bool callpath_spans_fill(struct callpath_spans *l, const struct process *proc,
	struct arena *a);
/* The span that an element of l->spans identifies. */
struct callpath_span callpath_spans_at(const struct callpath_spans *l,
	uint32_t span);

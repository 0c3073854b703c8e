/* callpath.h - what was open on a thread at a moment.
 *
 * A path is the annotations, modules, Python functions and operators of the
 * process that were open on the thread, the outermost first: those that began
 * by then and end later (start <= moment < end). Spans that begin together are
 * ordered longer first, then ranges before operators, then as the trace has them;
 * spans without a duration are left out. Ranges that cross others count while
 * they are open. Ranges that may change threads (RANGE_LOOSE) and the GPU's own
 * are in no path; if the thread is unknown, its moments have no path.
 *
 * A path holds at most CALLPATH_DEPTH frames, and the tree of all of them is
 * bounded; frames beyond that are left out from the inside, and `cut` is set. */
#pragma once
#include "frame_tree.h"

enum { CALLPATH_DEPTH = 512, CALLPATH_NO_OP = UINT32_MAX };

struct callpath {
	int64_t at_ns;
	uint32_t thread;
	uint32_t
		op; /* the path ends with this operator's row; CALLPATH_NO_OP */
	uint32_t frame; /* found: the innermost; 0 if nothing was open */
	bool cut; /* found: frames within it were left out */
};

/* Finds the frames of `n` moments, which ascend. Takes some 4 bytes a span and
 * moment and 4 a name on the way, and a time of one step a span and one for
 * each frame of each path. False if the arena is full. */
bool callpath_find(struct frame_tree *ft, const struct process *proc,
	struct callpath *paths, uint32_t n);

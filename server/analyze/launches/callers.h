/* callers.h - lists which code launched each kernel (the call path), and how
 * often.
 *
 * The path of a launch contains the ranges and operators that were open on the
 * API call's thread when the call began (callpath.h). For a kernel in a graph
 * replay, the API call is the one that launched the graph. If nothing was open,
 * or if the trace does not contain the call, the path ends with the operator of
 * the kernel's External id. External ids are not used if most kernels of the
 * file repeat their correlation there (files from before 2022): such ids would
 * name unrelated operators.
 *
 * Every launch is counted in exactly one line: the line of its path,
 * CALLER_NO_RANGE or CALLER_NO_CALL. So the lines of a kernel add up to its
 * launches and its total time. NOTE_callers_cut counts the launches whose path
 * lacks frames (callpath.h).
 *
 * Order: by kernel, total descending, then known, then frame. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->frames and p->callers. `kernel_of` and `call_of` are by kernel row
 * of the process. So is *frame_of: the innermost frame of the launch's path, 0
 * without a path. The caller always releases *frame_of with arena_drop().
 * False if the arena is full. */
bool callers_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p,
	uint32_t **frame_of);

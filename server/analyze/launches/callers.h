/* callers.h - who launched each kernel: the paths, and how often.
 *
 * A launch's path is what was open on the call's thread at the call's start
 * (callpath.h); of a kernel replayed by a graph, at the start of the graph's
 * launch. If nothing was open, or the trace has no call, it is the operator
 * that the kernel's External id names and what was open around that one; not
 * in files whose kernels repeat their correlation there (most of them, as
 * before 2022), which would name anything.
 *
 * Every launch is in one line: a path's, CALLER_NO_RANGE or CALLER_NO_CALL, so
 * that a kernel's lines add up to its instances and its total. Where frames
 * had to be left out of a path (callpath.h), NOTE_callers_cut counts the
 * launches.
 *
 * Order: by kernel, total descending, then known, then frame. */
#pragma once
#include "profile.h"
#include "trace.h"

/* Fills p->frames and p->callers; `kernel_of` and `call_of` are by kernel row
 * of the process. *frame_of gets, by kernel row, the innermost frame of each
 * launch's path, 0 if it has none; release it with arena_drop() in any case.
 * False if the arena is full. */
bool callers_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p,
	uint32_t **frame_of);

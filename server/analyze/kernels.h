/* kernels.h - the distinct kernels of a run, and the tables over them.
 *
 * Two names of the trace that demangle to the same text are one kernel. */
#pragma once
#include "family.h"
#include "profile.h"
#include "trace.h"

/* Fills p->kernels and p->stats from one process's launches. False where the
 * arena is full. */
bool kernels_from(const struct trace *t, struct slice rows,
	const struct families *f, struct profile *p);

/* ranged_copy.h - what a profile tells by cycle and by layer, out of its
 * arena. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "query_breakdown.h"

/* Cycles, patterns and collectives of `p` into `run`, copied to `a`, which has
 * no ceiling; so that the trace they were made of need not be kept. */
void ranged_copy(const struct profile *p, struct arena *a,
	struct compared_run *run);

/* Its breakdown, likewise; kernels have no ids yet (-1). */
void ranged_copy_layers(const struct profile *p, struct arena *a,
	struct breakdown_stored *out);

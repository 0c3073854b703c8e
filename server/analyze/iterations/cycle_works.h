/* cycle_works.h - the sizes that each stratum's kept cycles worked on. */
#pragma once
#include "iteration_items.h"

/* Makes p->cycles.works, by stratum, operators before grids, most frequent
 * first, then by name and size; CYCLES_WORKS_MAX of each. Kernels whose grid is
 * not told are none. False where memory is full. */
bool cycle_works_make(const struct cycle_items *ops,
	const struct cycle_items *grids, const struct trace *t,
	struct profile *p, struct arena *a);

/* importance_sums.h - a fleet's rows added up by operator, its cells by workload:
 * what importances and their intervals are made of. */
#pragma once
#include "fleet.h"

/* The rows of one operator. */
struct importance_sums {
	const char *operator; /* NULL: unattributed */
	uint32_t dtypes, phases; /* bits */
	double time, share, sized, bound, sol, compute, headroom, over;
	double flops, bytes, total;
	int64_t runs;
	/* By platform; one that it has nothing of lacks its name. */
	struct importance_place *places;
};

struct importance_parts {
	struct importance_sums *of;
	uint32_t n, workloads, platforms;
	uint32_t *operator_of; /* by row: index into `of` */
	uint32_t *workload_of, *platform_of; /* by cell: numbers from 0 */
	double runs, weighted; /* over all cells */
};

/* Places are in `a`, the rest in `scratch`. */
void importance_sums_from(const struct fleet *f, struct arena *a,
	struct arena *scratch, struct importance_parts *out);

/* compare_assign.h - who takes whose place, so that all together fit best. */
#pragma once
#include "arena.h"
#include <stdint.h>

/* The cheapest assignment of n lanes to n places, cost[lane * n + place] ≥ 0:
 * place[lane]. Of several equally cheap ones always the same. O(n³). */
void compare_assign(const double *cost, uint32_t n, struct arena *a,
	uint32_t *place);

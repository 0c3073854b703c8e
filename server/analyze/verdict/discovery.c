/* discovery.c - p · n / rank, never more than of the next one. */
#include "discovery.h"
#include <math.h>
#include <stdlib.h>

static int by_p(const void *a, const void *b)
{
	const struct change *x = *(struct change *const *)a;
	const struct change *y = *(struct change *const *)b;
	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x > y) - (x < y);
}

bool discovery_fill(struct change *changes, uint32_t n, struct arena *a)
{
	struct change **order = arena_array(a, struct change *, n + 1);
	double least = 1;

	if (!order)
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = &changes[i];
	qsort(order, n, sizeof *order, by_p);
	for (uint32_t i = n; i-- > 0;) {
		least = fmin(least, order[i]->p * n / (i + 1));
		order[i]->q = least;
	}
	return true;
}

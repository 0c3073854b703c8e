/* reachable.c - finds the fleet-best of calls, and adds up reachable
 * headroom. */
#include "reachable.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int reachable_compare(const void *a, const void *b)
{
	const struct fleet_best *x = a, *y = b;
	int d = strcmp(x->op, y->op);

	if (!d)
		d = strcmp(x->platform, y->platform);
	if (!d)
		d = (int)x->dtype - (int)y->dtype;
	if (!d)
		d = (int)x->leg - (int)y->leg;
	return d ? d : x->size_class - y->size_class;
}

void reachable_sort(struct fleet_bests *all)
{
	if (all->n)
		qsort(all->rows, all->n, sizeof *all->rows, reachable_compare);
}

const struct fleet_best *reachable_best(const struct fleet_bests *all,
	const struct reachable_calls *c)
{
	const struct fleet_best key = { .platform = c->platform,
		.op = c->op,
		.dtype = c->dtype,
		.leg = c->leg,
		.size_class = c->size_class };

	if (!c->platform || !c->op || c->size_class < 0 || !all->n)
		return NULL;
	return bsearch(&key, all->rows, all->n, sizeof *all->rows,
		reachable_compare);
}

double reachable_share(double s, const struct fleet_best *best)
{
	if (!best || isnan(s))
		return NAN;
	return s < best->s ? 1 - s / best->s : 0;
}

void reachable_add(struct reachable_sum *sum, double time, double saved,
	const struct fleet_best *best)
{
	if (!best || isnan(saved))
		return;
	sum->known += time;
	sum->saved += saved;
	if (sum->best &&
		(saved < sum->most_saved ||
			(saved == sum->most_saved && time <= sum->most_known)))
		return;
	sum->best = best;
	sum->most_saved = saved;
	sum->most_known = time;
}

/* compare_assign.c - the Hungarian method with potentials: lanes join one after
 * the other, each by the shortest path of exchanges. Index 0 is nobody. */
#include "compare_assign.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

struct paths {
	const double *cost;
	uint32_t n;
	double *lane_price, *place_price, *slack;
	uint32_t *holder, *from; /* by place: who has it, by which place */
	bool *done;
};

/* The place next to be reached, prices moved so that it costs nothing more. */
static uint32_t step(struct paths *p, uint32_t at)
{
	uint32_t lane = p->holder[at], next = 0;
	double least = INFINITY;
	for (uint32_t j = 1; j <= p->n; j++) {
		if (p->done[j])
			continue;
		double way = p->cost[(size_t)(lane - 1) * p->n + j - 1] -
			     p->lane_price[lane] - p->place_price[j];
		if (way < p->slack[j]) {
			p->slack[j] = way;
			p->from[j] = at;
		}
		if (p->slack[j] < least) {
			least = p->slack[j];
			next = j;
		}
	}
	for (uint32_t j = 0; j <= p->n; j++)
		if (p->done[j]) {
			p->lane_price[p->holder[j]] += least;
			p->place_price[j] -= least;
		} else {
			p->slack[j] -= least;
		}
	return next;
}

static void join(struct paths *p, uint32_t lane)
{
	uint32_t at = 0;
	p->holder[0] = lane;
	for (uint32_t j = 0; j <= p->n; j++) {
		p->slack[j] = INFINITY;
		p->done[j] = false;
	}
	do {
		p->done[at] = true;
		at = step(p, at);
	} while (p->holder[at]);
	for (; at; at = p->from[at])
		p->holder[at] = p->holder[p->from[at]];
}

void compare_assign(const double *cost, uint32_t n, struct arena *a,
	uint32_t *place)
{
	struct paths p = { .cost = cost,
		.n = n,
		.lane_price = arena_array(a, double, n + 1),
		.place_price = arena_array(a, double, n + 1),
		.slack = arena_array(a, double, n + 1),
		.holder = arena_array(a, uint32_t, n + 1),
		.from = arena_array(a, uint32_t, n + 1),
		.done = arena_array(a, bool, n + 1) };
	for (uint32_t i = 1; i <= n; i++)
		join(&p, i);
	for (uint32_t j = 1; j <= n; j++)
		place[p.holder[j] - 1] = j - 1;
}

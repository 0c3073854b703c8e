/* reachable.h - headroom that is known to be reachable, because a run of the
 * fleet reached it.
 *
 * Headroom is measured from the roofline bound, which no kernel attains. The
 * reachable headroom of a shape is measured from the fleet-best S_best of its
 * platform, operator, type, leg and size class: it is t * (1 - S / S_best) if S
 * is less than S_best, and 0 otherwise. Without a fleet-best it is unknown. */
#pragma once
#include "fleet.h"

/* Calls with a roofline bound. */
struct reachable_calls {
	const char *platform, *op; /* NULL unknown */
	enum dtype dtype;
	enum leg leg;
	int size_class; /* cost_size_class() */
	double s; /* T_SOL / mean time */
};

/* Sorts the list for reachable_best(). */
void reachable_sort(struct fleet_bests *all);
/* NULL: no fleet-best is known. */
const struct fleet_best *reachable_best(const struct fleet_bests *all,
	const struct reachable_calls *c);
/* The part of the calls' time that is reachable headroom; NaN unknown. */
double reachable_share(double s, const struct fleet_best *best);

/* A sum over shapes. */
struct reachable_sum {
	double known; /* time of the shapes with a fleet-best */
	double saved; /* reachable headroom */
	/* The fleet-best of the shape with the most reachable headroom; NULL
	 * without shapes. */
	const struct fleet_best *best;
	double most_saved, most_known; /* of that shape */
};
/* `saved` is time * reachable_share(). Without a fleet-best, adds nothing. */
void reachable_add(struct reachable_sum *sum, double time, double saved,
	const struct fleet_best *best);

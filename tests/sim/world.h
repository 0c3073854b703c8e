/* world.h - pairs of sides whose truth is known: what a verdict is tried on.
 *
 * A process has functions with log-normal shares of its iteration; an iteration's times
 * vary with a memory, its first iterations are slow, its clock steps once, and each
 * process has run effects of its own. What head has beyond that is the case's. */
#pragma once
#include "arena.h"
#include "verdict.h"

enum { WORLD_UNITS_MAX = 8 };

struct world {
	const char *name;
	uint32_t rows, iterations,
		units; /* of each side; iterations of each unit */
	double noise, memory; /* relative, per iteration; AR(1)'s coefficient */
	double warm_up; /* the first iteration is slower by, the next by a third */
	double step; /* at a random iteration of each unit, up or down by */
	double run; /* relative, per function and process */
	double run_common; /* the same for all functions of a process */
	double floor, floor_df;
	/* Head: one function of at least 1 % of the iteration is slower by `slower`
	 * (-1: in head it is gone; INFINITY: base lacks it); kernels but a share of
	 * `untouched` are slower by `clock`. */
	double slower, clock, untouched;
	/* Rows that are no kernels: the idle part, longer by. */
	double stall;
};

struct world_pair {
	struct verdict_input in;
	uint32_t changed; /* the row that was made slower */
	double delta_ns; /* of its mean per iteration, without run effects */
};

/* Needs arena memory as its only own; the same for a seed. */
struct world_pair world_pair(const struct world *w, uint64_t seed,
	struct arena *a);

/* world.h - draws pairs of sides with a known truth, to test the verdict.
 *
 * A process has functions with log-normal shares of its iteration. Iteration
 * times are autocorrelated, the first iterations are slow, the clock changes
 * once, and each process has its own run effects. The test case defines how
 * the head differs from the base. */
#pragma once
#include "arena.h"
#include "verdict.h"

enum { WORLD_UNITS_MAX = 8 };

struct world {
	const char *name;
	uint32_t rows, iterations,
		units; /* of each side; iterations of each unit */
	double noise, memory; /* relative, per iteration; AR(1)'s coefficient */
	double warm_up; /* extra share of iteration 1; iteration 2 has a third */
	double step; /* up or down, at a random iteration of each unit */
	double run; /* relative, per function and process */
	double run_common; /* the same for all functions of a process */
	double floor, floor_df;
	/* How the head differs. One function is slower by `slower` (-1: missing
	 * in the head; INFINITY: missing in the base). It has exactly `share`
	 * of the iteration, or at least 1 % if `share` is 0. Kernels are slower by `clock`, except for a share of
	 * `untouched`. */
	double slower, share, clock, untouched;
	/* One run of the base takes longer by this in the function that
	 * changes. */
	double outlier;
	/* This share of the times of functions in runs is 8 to 30 % longer. */
	double tail;
	/* Rows that are not kernels: the idle part is longer by this. */
	double stall;
};

struct world_pair {
	struct verdict_input in;
	uint32_t changed; /* the row that was made slower */
	double delta_ns; /* change of its mean per iteration, without run effects */
};

/* Reproducible per seed; allocates only from the arena. */
struct world_pair world_pair(const struct world *w, uint64_t seed,
	struct arena *a);

/* verdict_needs.h - how many iterations or runs would prove a change.
 *
 * The change and its variance are assumed to stay as they were measured. The
 * result is the least number per side for which the verdict would call the row
 * changed: enough splits for a p below alpha, a p that holds in the family
 * (after Bonferroni), and a 95 % interval without 0. Measured against the
 * verdict itself: with samples of exactly these moments in
 * tests/unit/analyze/test_verdict_needs.c, and in simulation in tests/sim
 * (sim_needs), where the number at which half of the pairs prove the change is
 * at most one off. */
#pragma once
#include <stdint.h>

struct verdict_plan {
	double delta_ns, mean_ns; /* head - base, and half their sum */
	double iteration_sd_ns; /* of iterations about their run's mean */
	double run_sd_ns; /* of runs' means about their side's; NAN: by the floor */
	double floor, floor_df; /* as in struct verdict_row */
	/* The same without the differences between the runs that there are. Those
	 * of the planned runs are added to it. */
	double prior, prior_df;
	double alpha;
	uint32_t units; /* per side: the runs that iterations are added to */
	uint32_t iterations; /* per run, of runs that are added */
	uint32_t family; /* rows that the verdict tests together */
};

/* Larger numbers are no advice. */
enum { VERDICT_NEEDS_MAX = 1000 };

/* Iterations per side. 0: no number up to the maximum proves the change, because
 * runs may differ by as much. */
uint32_t verdict_needs_iterations(const struct verdict_plan *p);
/* Runs per side. 0: no number up to the maximum does. */
uint32_t verdict_needs_runs(const struct verdict_plan *p);

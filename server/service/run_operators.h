/* run_operators.h - a run's operators: their shares of GPU time, and their
 * roofline bound on another platform.
 *
 * That bound is computed from the cost of each shape and the peaks of the other
 * platform. A stored roofline bound cannot be used, because it belongs to the
 * platform of the run.
 *
 * Also the unattributed kernels of all runs. */
#pragma once
#include "catalog.h"
#include "measured_ceilings.h"
#include "query_operator.h"
#include "reachable.h"
#include "service.h"

/* Sums over an operator's calls whose roofline bound on the other platform is
 * known. */
struct platform_projection {
	double sol_ns;
	int64_t bound_ns; /* time of these calls in the run */
	/* part of sol_ns from calls whose longer leg is compute */
	double compute_ns;
	bool link; /* the operator is a collective */
};

void run_operators_projection_add(struct platform_projection *sum,
	const struct shape_stat *s, const struct platform *p);
/* The leg that dominates. */
enum leg run_operators_projection_leg(const struct platform_projection *sum);

/* A run's operators and the data that describes them. */
struct run_operators_table {
	const struct run_operators *is;
	const struct catalog *catalog;
	const struct platform *against; /* NULL */
	const struct platform_projection
		*put; /* by row; NULL without `against` */
	/* of the run's platform; NULL if there are none */
	const struct measured_ceilings *ceilings;
	const struct measured_sum *measured; /* by row; NULL without them */
	const struct fleet_bests *bests; /* of the run's platform */
	const struct reachable_sum *reachable; /* by row, in ns; or NULL */
};
/* Adds up the reachable headroom of the shapes, by row of m->is. */
const struct reachable_sum *
run_operators_reachable_from(const struct run_operators_table *m,
	const struct bound_shape *shapes, uint32_t n, struct arena *a);
/* The fleet-best of a shape of row `o`; NULL unknown. */
const struct fleet_best *run_operators_best(const struct run_operators_table *m,
	const struct operator_stat *o, enum leg leg, int size_class);
/* In whole ns; -1 unknown. */
int64_t run_operators_reachable_ns(int64_t total_ns, double s,
	const struct fleet_best *best);
/* Shares of the run's GPU time in percent; NaN if unknown. */
struct run_operators_share {
	double attributed, specific, sized, bound, headroom, headroom_measured,
		headroom_sheet;
	double reachable_known, reachable; /* time with a fleet-best; reachable
		headroom */
};
struct run_operators_share run_operators_share_from(
	const struct run_operators_table *m);
/* The sums of an operator by the measured ceilings; NULL if no call of it has a
 * bound by them. */
const struct measured_sum *run_operators_measured(
	const struct run_operators_table *m, const struct operator_stat *o);
/* Whether the run's SM clock is known, so that its bounds at this clock and
 * those by the data sheet may differ. */
bool run_operators_has_clock(const struct run_operators_table *m);
/* How the run's compute peaks scale to its SM clock, as a sentence; NULL if they
 * are the data sheet's. */
const char *run_operators_peaks(const struct run_operators_table *m,
	struct arena *a);
/* The leg that most of the operator's bound time belongs to. */
enum leg run_operators_leg(const struct operator_stat *o);

/* Lists the unattributed kernels of all runs, the most time first, at most
 * `limit`. Kernels whose names differ only in the number that a compiler gave
 * them (kernel_stem) are one row: it has the id and the texts of the kernel with
 * the most time, and the sums of all. */
bool run_operators_unattributed(struct service_call *c, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e);

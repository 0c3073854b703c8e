/* run_operators.h - a run's operators: their shares of GPU time, and what their
 * calls would take at least on another platform.
 *
 * That is computed from the cost of each shape and the platform's peaks, never from
 * a stored bound, which is of the platform the run was on. */
#pragma once
#include "catalog.h"
#include "query_operator.h"

/* Over the calls of an operator with a known bound on that platform. */
struct platform_projection {
	double sol_ns;
	int64_t bound_ns; /* their time in the run */
	double compute_ns; /* part of sol_ns whose longer leg is computing */
};

void run_operators_projection_add(struct platform_projection *sum,
	const struct shape_stat *s, const struct platform *p);
/* The leg that dominates. */
enum leg run_operators_projection_leg(const struct platform_projection *sum);

/* A run's operators with what describes them. */
struct run_operators_table {
	const struct run_operators *is;
	const struct catalog *catalog;
	const struct platform *against; /* NULL */
	const struct platform_projection
		*put; /* by row; NULL without `against` */
};
/* Shares of its GPU time in percent; NaN. */
struct run_operators_share {
	double attributed, specific, sized, bound, headroom;
};
struct run_operators_share run_operators_share_from(
	const struct run_operators_table *m);
/* The leg of most of its bound time. */
enum leg run_operators_leg(const struct operator_stat *o);

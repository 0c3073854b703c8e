/* run_operators.h - what a run's calls would take at least on another platform.
 *
 * From the cost of each shape and that platform's peaks, never from a bound that
 * was stored: that one is of the platform the run was on. */
#pragma once
#include "catalog.h"
#include "query_operator.h"

/* Over the calls of an operator whose bound there is known. */
struct platform_projection {
	double sol_ns;
	int64_t bound_ns; /* their time in the run */
	double compute_ns; /* part of sol_ns whose longer leg is computing */
};

void run_operators_projection_add(struct platform_projection *sum,
	const struct shape_stat *s, const struct platform *p);
/* The leg that dominates. */
enum leg run_operators_projection_leg(const struct platform_projection *sum);

/* What a run's operators are, beside their rows. */
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

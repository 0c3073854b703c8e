/* run_operators.h - a run's operators: their shares of GPU time, and their
 * roofline bound on another platform.
 *
 * That bound is computed from the cost of each shape and the peaks of the other
 * platform. A stored roofline bound cannot be used, because it belongs to the
 * platform of the run.
 *
 * Also how much of the platform's peaks a run, its operators and its iterations
 * used, and the unattributed kernels of all runs. */
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

/* Hardware FLOP utilization, model FLOP utilization and model bandwidth
 * utilization:
 *
 *   HFU = sum over calls of W/P / time     MBU = sum over calls of Q/B / time
 *   MFU = HFU without the calls that compute something again
 *
 * W/P of a call is the sum over its dtypes. P is the data sheet's dense peak, also
 * if an SM clock was recorded; Q is the minimum traffic. Both are as in the
 * current catalog. Only calls whose W, Q and peaks are known are in the sums. All
 * other time counts as time without work, so MFU and MBU are minimums if the
 * covered share is below 1. Collectives have neither W nor Q: their time is not
 * covered.
 *
 * The host operators of a training step show which launches activation
 * checkpointing computes again (attribute_op.c). What one kernel computes again
 * by itself, as attention does in its backward pass, is in W as in the catalog.
 * Calls that may compute something again are in MFU, so MFU is a maximum of the
 * model's part if recompute_covered is below 1. If that share is 0, HFU is unknown,
 * and MFU contains all operations. */
struct utilization {
	double compute_ns, memory_ns; /* the sums of W/P and Q/B */
	double recomputed_ns; /* the part of compute_ns that was computed
		before */
	int64_t flops_ns; /* time of the calls in the sums with operations */
	int64_t recompute_known_ns; /* of these, the calls that are known to
		compute something again or not */
	bool recompute_unstored; /* that time was not stored */
	int64_t known_ns; /* time of the calls in the sums */
	int64_t all_ns; /* time of all calls; -1 unknown */
	int64_t time_ns; /* what the sums are divided by; -1 unknown */
	const char *why; /* why all of them are unknown; NULL: MFU and MBU are
		known */
};
/* NaN if unknown. The covered share is part of the GPU time, because idle time
 * has no work. */
double run_operators_mfu(const struct utilization *u);
double run_operators_hfu(const struct utilization *u);
double run_operators_mbu(const struct utilization *u);
double run_operators_covered(const struct utilization *u);
/* The part of flops_ns in recompute_known_ns. */
double run_operators_recompute_covered(const struct utilization *u);
/* Why HFU is unknown; NULL if it has a value. */
const char *run_operators_hfu_why(const struct utilization *u);

/* The utilization of iterations [from, from + n) of a run, whose durations the
 * caller has read; time_ns is the duration on all devices. The platform of the
 * run is `p`; NULL unknown. `works` NULL: the iterations are not those that are
 * stored, so their work is unknown. */
const struct utilization *run_operators_utilization_iterations(
	const struct platform *p, const struct iteration_works *works,
	const struct iterations *page, int64_t from, struct arena *a);

struct run_utilization {
	/* By row, over all of its calls. time_ns is its GPU time. */
	const struct utilization *rows;
	/* Over the calls in kept iterations, and the time of these iterations;
	 * over all calls and the span if no iteration is kept. The time is that
	 * of all devices of the run: with two devices, twice as long. */
	struct utilization whole;
	bool kept; /* `whole` is over kept iterations */
};

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
	const struct run_utilization *use; /* NULL: not requested */
};
const struct run_utilization *
run_operators_utilization_from(const struct run_operators_table *m,
	const struct costed_shapes *shapes, struct arena *a);
/* Reads the fleet-bests that the caller may see: m->bests. */
bool run_operators_bests_read(struct service_call *c,
	struct run_operators_table *m, struct err *e);
/* Likewise, and adds up the reachable headroom of the run: m->reachable. */
bool run_operators_reachable_read(struct service_call *c, int64_t run,
	struct run_operators_table *m, struct err *e);
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

/* cost.h - the work that an operator must do (W in floating-point operations
 * per type, Q in bytes) and the peaks of a platform.
 *
 * P is a platform's peak for a type, B its bandwidth.
 *
 *   T_SOL = max(sum over types of W/P, Q/B)   time at the speed of light
 *   S     = T_SOL / measured time
 *   AI    = W/Q                               arithmetic intensity
 *
 * Source: definitions of Atrex-Bench's roofline (Apache-2.0). */
#pragma once
#include "shape.h"
#include <math.h>

/* PHYSICAL: the work that the operator must do. CATALOG: the work that the
 * imported reference set counts, including its artifacts (spare KV pool, whole
 * cache blocks, …). */
enum convention { CONVENTION_PHYSICAL, CONVENTION_CATALOG };

struct cost {
	uint64_t flops[DTYPES]; /* 0 if there are none */
	uint64_t read_bytes, write_bytes;
};

struct platform {
	const char *name; /* "H20" */
	const char *vendor; /* "NVIDIA" */
	const char *source; /* of its peaks and bandwidth */
	double peak_flops[DTYPES]; /* per second; NaN unknown */
	double bytes_per_s;
	/* What one device can send to the others of its node, and to other
	 * nodes, in one direction; NaN unknown. */
	double link_bytes_per_s, network_bytes_per_s;
	const char *link_source; /* of these two; NULL unknown */
	/* A call that is shorter than this has no headroom, because most of its
	 * time is the launch. */
	int64_t launch_floor_ns;
	bool own; /* added by this installation */
};

enum leg { LEG_NONE, LEG_COMPUTE, LEG_MEMORY };

struct bound {
	double sol_s; /* seconds; NaN if a required peak is unknown */
	double ai; /* flops per byte; NaN if Q is 0 */
	enum leg leg; /* the longer of compute time and memory time */
	enum dtype lacking; /* if sol_s is NaN: the type without a peak */
};

/* The size class of a call: n if the work that bounds it, W if the leg is
 * compute and Q if it is memory, is in [2^n, 2^(n+1)). Calls of one class take
 * at most twice as long as each other at equal efficiency, so what one of them
 * reaches the others can reach, too. Small calls never do. -1 without a
 * bound. */
static inline int cost_size_class(const struct cost *c, enum leg leg)
{
	double work = (double)c->read_bytes + (double)c->write_bytes;

	if (leg == LEG_COMPUTE) {
		work = 0;
		for (enum dtype d = DTYPE_UNKNOWN + 1; d < DTYPES; d++)
			work += dtype_counts(d) ? (double)c->flops[d] : 0;
	}
	return leg == LEG_NONE || work < 1 ? -1 : ilogb(work);
}

/* cost.h - what an operator must do: W in floating-point operations per type,
 * Q in bytes; and what a platform can do at most.
 *
 * Speed of light: T_SOL = max(sum over types of W/P, Q/B). S = T_SOL / measured.
 * AI = W/Q. Source: definitions of Atrex-Bench's roofline (Apache-2.0). */
#pragma once
#include "shape.h"

/* PHYSICAL: what the operator must do. CATALOG: what the imported reference
 * set counts, including its artifacts (spare KV pool, whole cache blocks,
 * …). */
enum convention { CONVENTION_PHYSICAL, CONVENTION_CATALOG };

struct cost {
	uint64_t flops[DTYPES]; /* 0 if there are none */
	uint64_t read_bytes, write_bytes;
};

struct platform {
	const char *name; /* "H20" */
	const char *vendor; /* "NVIDIA" */
	const char *source; /* of the figures */
	double peak_flops[DTYPES]; /* per second; NaN unknown */
	double bytes_per_s;
	/* Below this a kernel's time is mostly its launch: no headroom. */
	int64_t launch_floor_ns;
	bool own; /* of this installation */
};

enum leg { LEG_NONE, LEG_COMPUTE, LEG_MEMORY };

struct bound {
	double sol_s; /* seconds; NaN where a peak that it needs is unknown */
	double ai; /* flops per byte; NaN where Q is 0 */
	enum leg leg; /* the longer of the two */
	enum dtype lacking; /* the type without a peak, where sol_s is NaN */
};

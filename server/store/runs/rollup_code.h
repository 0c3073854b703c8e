/* rollup_code.h - what is summed over runs: the codes of a ledger's terms.
 *
 * The codes are stored in the database, so a number never changes its meaning,
 * and new codes are appended. W_ marks the sum of a term times g, where g is a
 * run's weight in millionths of GPU-hours. A product above 2^110 is omitted; no
 * fleet comes near it. */
#pragma once
#include "cost.h"
#include <assert.h>

/* Sums over all runs of a cell, in row 0. */
enum rollup_cell_code { CELL_RUNS, CELL_WEIGHT, CELL_GPU, CELL_W_GPU };

/* Sums for an operator, type and phase, in the row of its operator_key. The
 * first four codes count runs. For each of them a run adds 1 to exactly one
 * row: KEY_RUNS among all its rows of the operator, KEY_RUNS_DTYPE among those
 * of the type, KEY_RUNS_PHASE among those of the phase, KEY_RUNS_BOTH in this
 * row. A query uses the code that fits its filter, so that each run counts
 * once. */
enum rollup_key_code {
	KEY_RUNS,
	KEY_RUNS_DTYPE,
	KEY_RUNS_PHASE,
	KEY_RUNS_BOTH,
	KEY_LAUNCHES,
	KEY_CALLS,
	KEY_BOUND_CALLS,
	KEY_TOTAL, /* ns, as all times except the next and SOL (ps) */
	KEY_SHARE, /* of the run's GPU time, in 1e-12, rounded down */
	KEY_W_TOTAL,
	KEY_W_SIZED,
	KEY_W_BOUND,
	KEY_W_SOL,
	KEY_W_COMPUTE,
	KEY_W_HEADROOM,
	KEY_W_OVER,
	KEY_W_FLOPS,
	KEY_W_BYTES,
	KEY_CODES
};

/* Sums for a shape of that operator, in the row of the shape; row 0 if the
 * sizes are unknown. */
enum rollup_shape_code {
	SHAPE_RUNS,
	SHAPE_LAUNCHES,
	SHAPE_CALLS,
	SHAPE_TOTAL,
	SHAPE_W_TOTAL,
	SHAPE_COSTED, /* calls whose cost is known; sums over these calls: */
	SHAPE_READ,
	SHAPE_WRITE,
	SHAPE_BOUND, /* calls whose T_SOL is known; its sum: */
	SHAPE_SOL, /* ps */
	SHAPE_COMPUTE, /* calls whose leg is compute */
	/* Of collectives, over calls whose cost is known: */
	SHAPE_LINK_BYTES,
	SHAPE_LINK_RANKS,
	SHAPE_LINK_NODES,
	SHAPE_LINK_KIND, /* + enum collective_kind: calls of it */
	SHAPE_FLOPS = 32, /* + enum dtype */
	/* Calls whose headroom is known, and its sum. A run stored before shapes
	 * had it adds neither. */
	SHAPE_HEADROOM_CALLS = 120,
	SHAPE_W_HEADROOM,
	SHAPE_ZERO = 127, /* calls of 0 ns: bucket -1 */
	SHAPE_BUCKET = 128, /* + bucket: calls in it */
};

static_assert(DTYPE_FP64 == 1 && DTYPE_BF16 == 4 && DTYPE_FP8_E4M3 == 6 &&
		      DTYPE_INT8 == 12 && DTYPE_COMPLEX128 == 17,
	"dtype.def is only ever appended to");
static_assert(COLLECTIVE_ALL_REDUCE == 1 && COLLECTIVE_BROADCAST == 5 &&
		      COLLECTIVE_BARRIER == 12 && COLLECTIVE_COMBINE == 14,
	"collective.def is only ever appended to");
static_assert((int)SHAPE_LINK_KIND + COLLECTIVE_KINDS <= (int)SHAPE_FLOPS,
	"kinds do not reach the types");
static_assert((int)SHAPE_FLOPS + DTYPES <= (int)SHAPE_HEADROOM_CALLS,
	"types do not reach the codes after them");

/* A run adds to sums over periods of these numbers of days; 0: over all
 * days. */
static const int rollup_grains[] = { 0, 1, 2, 4, 8, 16, 32, 64 };
enum { ROLLUP_GRAINS = 8, ROLLUP_GRAIN_MAX = 64 };

/* The first day of the period of `grain` days that contains this day. */
static inline int rollup_first(int grain, int day)
{
	if (!grain)
		return 0;
	int into = day % grain;
	return day - (into < 0 ? into + grain : into);
}

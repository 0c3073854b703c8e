/* rollup_code.h - what is summed over runs: the codes of a ledger's terms.
 *
 * They are stored: a number never changes its meaning, new ones are appended.
 * W_ is the sum of the term times g, a run's weight in millionths of GPU-hours.
 * A product above 2^110 is left out: no fleet comes near it. */
#pragma once
#include "cost.h"
#include <assert.h>

/* Of all runs of a cell: row 0. */
enum rollup_cell_code { CELL_RUNS, CELL_WEIGHT, CELL_GPU, CELL_W_GPU };

/* Of an operator, type and phase: the row of its operator_key. For each of the
 * first four codes a run adds 1 to exactly one row: among all its rows of the
 * operator; among those of the type; among those of the phase; and to this row.
 * A query takes the code that fits its filter, so that each run counts once. */
enum rollup_key_code {
	KEY_RUNS,
	KEY_RUNS_DTYPE,
	KEY_RUNS_PHASE,
	KEY_RUNS_BOTH,
	KEY_LAUNCHES,
	KEY_CALLS,
	KEY_BOUND_CALLS,
	KEY_TOTAL, /* ns, as all times but the next and SOL (ps) */
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

/* Of a shape of it: the row of its shape, 0 if sizes are unknown. */
enum rollup_shape_code {
	SHAPE_RUNS,
	SHAPE_LAUNCHES,
	SHAPE_CALLS,
	SHAPE_TOTAL,
	SHAPE_W_TOTAL,
	SHAPE_COSTED, /* calls whose cost is known; sums over them: */
	SHAPE_READ,
	SHAPE_WRITE,
	SHAPE_BOUND, /* calls whose T_SOL is known; sum of that: */
	SHAPE_SOL, /* ps */
	SHAPE_COMPUTE, /* calls whose leg is compute */
	SHAPE_FLOPS = 32, /* + enum dtype */
	SHAPE_ZERO = 127, /* calls of 0 ns: bucket -1 */
	SHAPE_BUCKET = 128, /* + bucket: calls in it */
};

static_assert(DTYPE_FP64 == 1 && DTYPE_BF16 == 4 && DTYPE_FP8_E4M3 == 6 &&
		      DTYPE_INT8 == 12 && DTYPE_COMPLEX128 == 17,
	"dtype.def is only ever appended to");
static_assert((int)SHAPE_FLOPS + DTYPES <= (int)SHAPE_ZERO,
	"types do not reach the buckets");

/* A run adds to the sums over this many days; 0: over all days. */
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

/* lag.h - how long a process remembers: how many cycles are one observation.
 *
 * The autocorrelation of times per cycle, median over the longest rows, so that
 * one odd row does not decide for all; lags are summed until little is left. */
#pragma once
#include "common_factor.h"

enum {
	LAG_MAX = 64,
	LAG_BLOCKS_MIN = 5, /* a side, where it has the cycles */
	LAG_BLOCKS_MAX = 40, /* of the smaller side: more would only cost */
};

struct lag {
	uint32_t n; /* lags that count */
	double rho[LAG_MAX + 1]; /* rho[0] is 1 */
};

/* Kernels are freed from what is common where that is known. False where the
 * arena is full. */
bool lag_from(const struct verdict_input *in, const struct change *means,
	const struct common *c, struct arena *a, struct lag *out);

/* Variance of the mean of `length` cycles, as a multiple of what it would be
 * if they remembered nothing. */
double lag_inflation(const struct lag *l, uint32_t length);

/* Cycles to a block: enough that little correlation is left between blocks. */
uint32_t lag_block(const struct lag *l, uint32_t base_n, uint32_t head_n);

/* What is left of it, as a factor of deviations: 1 or more. */
double lag_widen(const struct lag *l, uint32_t length);

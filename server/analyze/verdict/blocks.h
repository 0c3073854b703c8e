/* blocks.h - iterations grouped into blocks that can be exchanged.
 *
 * Iterations of one process resemble their neighbors, so they cannot be
 * exchanged one by one. A block is a run of consecutive iterations of one unit,
 * long enough that little correlation is left between blocks. All blocks have
 * the same length, give or take one iteration. If units are what is exchanged,
 * each unit is one block.
 *
 * The length follows from the autocorrelation of times per iteration: the median
 * over the longest rows, so that one odd row does not decide for all. Lags are
 * summed until little correlation is left. */
#pragma once
#include "common_factor.h"

enum {
	BLOCKS_LAG_MAX = 64,
	BLOCKS_MIN = 5, /* per side, if it has enough iterations */
	BLOCKS_MAX = 40, /* of the smaller side: more would only cost time */
};

struct blocks_lag {
	uint32_t n; /* lags that count */
	double rho[BLOCKS_LAG_MAX + 1]; /* rho[0] is 1 */
};

/* The autocorrelation of both sides. Kernels are divided by the common factor if
 * that was estimated. False if the arena is full. */
bool blocks_lag_from(const struct verdict_input *in, const struct change *means,
	const struct common_estimate *c, struct arena *a,
	struct blocks_lag *out);

/* Iterations per block: enough that little correlation is left between blocks. */
uint32_t blocks_length(const struct blocks_lag *l, uint32_t base_n,
	uint32_t head_n);

/* The correlation that is left between blocks of `length`, as a factor of
 * standard deviations: 1 or more. */
double blocks_widen(const struct blocks_lag *l, uint32_t length);

struct blocks_range {
	uint32_t from, to; /* iterations of its side */
	uint32_t unit;
};

struct blocks {
	uint32_t length; /* iterations; 0 if blocks are units */
	uint32_t base_n, head_n;
	const struct blocks_range *base, *head;
	/* Degrees of freedom spent on the differences between units of a side. */
	uint32_t base_lost, head_lost;
	/* The deviation of a mean difference is that much greater than blocks
	 * show: blocks_widen(). */
	double widen;
};

/* `length` 0: each unit is one block. False if the arena is full. */
bool blocks_from(const struct verdict_input *in, uint32_t length,
	struct arena *a, struct blocks *out);

/* Degrees of freedom of the blocks' variance, of both sides. */
double blocks_df(const struct blocks *b);

/* The mean of x / factor of each block, base's blocks then head's. `factor` NULL:
 * 1. If blocks are not units, the differences between units of a side are removed
 * and the rest is widened, so that its variance is still that of blocks. */
void blocks_means(const struct blocks *b, const struct verdict_row *row,
	const double *base_factor, const double *head_factor, double *means);

/* kernel_chain.h - launches that something ties to the one before on their stream.
 *
 * One call of the host, or the catalogue: a kernel that finishes the product
 * before it, and kernels of attention that come one after the other. Of launches
 * whose calls are known and differ, the catalogue is not asked. What is tied
 * together is a chain; chains of the same kernels are a shape. */
#pragma once
#include "attribute_launch.h"

enum { CHAIN_NONE = UINT32_MAX, CHAIN_MOST = 8 };

struct chain_shape {
	uint32_t kernels[CHAIN_MOST];
	uint32_t n;
	uint32_t chains; /* how often */
	uint32_t called; /* of those, how many one call launched */
	uint32_t first; /* a kernel row at which one begins */
};

struct kernel_chains {
	const struct attribution *at;
	uint32_t n; /* kernel rows of the process */
	uint32_t *before,
		*behind; /* by row: the next on its stream; CHAIN_NONE */
	uint8_t *tied; /* by row: to the one before */
	uint32_t *shape; /* by row: that of its chain; CHAIN_NONE none, or one
		of a single kernel, or of more than CHAIN_MOST launches */
	struct chain_shape *shapes;
	uint32_t shapes_n;
};

/* All in `a`, which is for scratch. False where it is full. */
bool kernel_chains_from(struct kernel_chains *c, const struct attribution *at,
	struct arena *a);

static inline bool kernel_chain_head(const struct kernel_chains *c,
	uint32_t row)
{
	return c->before[row] == CHAIN_NONE || !c->tied[row];
}

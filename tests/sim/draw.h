/* draw.h - draws random numbers. */
#pragma once
#include "xoshiro.h"
#include <math.h>

/* In (0, 1). */
static inline double draw_uniform(struct xoshiro *x)
{
	return ((double)(xoshiro_next(x) >> 11) + 0.5) * 0x1p-53;
}

/* After Box and Muller, 1958. */
static inline double draw_normal(struct xoshiro *x)
{
	double u = draw_uniform(x), v = draw_uniform(x);
	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

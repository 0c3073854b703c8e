/* t_draw.h - fast random numbers from Student's t distribution, by a table of
 * its quantiles.
 *
 * A draw uses 32 random bits: one for the sign, and the rest for a tail
 * probability with a resolution of 1/32 octave. The smallest probability is
 * 2^-31. So the table reaches far into the tails, where distributions with few
 * and with many degrees of freedom differ most. */
#pragma once
#include <stdint.h>

enum { T_DRAW_OCTAVES = 31, T_DRAW_STEPS = 32 };

struct t_draw {
	double df;
	float size[T_DRAW_OCTAVES * T_DRAW_STEPS];
};

/* Rounds df down to a value for which a table exists, at least 1. */
double t_draw_df(double df);
void t_draw_init(struct t_draw *t, double df);

static inline float t_draw_next(const struct t_draw *t, uint32_t bits)
{
	uint32_t tail = bits >> 1 | 1;
	uint32_t zeros = (uint32_t)__builtin_clz(tail);
	uint32_t step = (tail << zeros) >> 26 & (T_DRAW_STEPS - 1);
	float size = t->size[(zeros - 1) * T_DRAW_STEPS + step];
	return bits & 1 ? size : -size;
}

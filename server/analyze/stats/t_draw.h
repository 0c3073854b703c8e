/* t_draw.h - draws of Student's t, quick, from a table of its quantiles.
 *
 * A draw takes 32 random bits: a sign, and a tail probability to a thirty-second
 * of an octave, down to 2^-31: far into the tails, where a few degrees of
 * freedom differ from many. */
#pragma once
#include <stdint.h>

enum { T_DRAW_OCTAVES = 31, T_DRAW_STEPS = 32 };

struct t_draw {
	double df;
	float size[T_DRAW_OCTAVES * T_DRAW_STEPS];
};

/* df is rounded down to what tables are made for, and never below 1. */
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

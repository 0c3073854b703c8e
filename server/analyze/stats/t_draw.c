/* t_draw.c - builds the tables for random numbers from Student's t
 * distribution. */
#include "t_draw.h"
#include "dist.h"
#include <math.h>

double t_draw_df(double df)
{
	static const double made[] = { 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32,
		48, 64, 128, INFINITY };
	double down = 1;
	for (unsigned i = 0; i < sizeof made / sizeof *made; i++)
		if (made[i] <= df)
			down = made[i];
	return down;
}

void t_draw_init(struct t_draw *t, double df)
{
	t->df = df;
	for (int octave = 0; octave < T_DRAW_OCTAVES; octave++)
		for (int step = 0; step < T_DRAW_STEPS; step++) {
			double tail = ldexp(1 + (step + 0.5) / T_DRAW_STEPS,
				-octave - 1);
			t->size[octave * T_DRAW_STEPS + step] =
				(float)-dist_t_quantile(tail / 2, df);
		}
}

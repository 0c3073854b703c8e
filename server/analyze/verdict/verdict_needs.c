/* verdict_needs.c - computes how many iterations or runs would prove a
 * change. */
#include "verdict_needs.h"
#include "dist.h"
#include "permutation_test.h"
#include "verdict.h"
#include <math.h>

/* As in verdict.c: the weight of the typical row's variance, in blocks, and the
 * number of blocks of a side, above which blocks grow instead. */
#define NEEDS_PRIOR_DF 4.0
enum { NEEDS_BLOCKS_MAX = 40, NEEDS_ITERATIONS_MIN = 3 };

/* The interval is that of Hodges and Lehmann, which has no prior. Its length is
 * that of Student's t, over the root of its efficiency, 3 / pi, for normal
 * times. */
static double verdict_needs_half(const struct contrast *c, double own_df)
{
	double half =
		dist_t_quantile(0.975, own_df) * sqrt(c->within * M_PI / 3);
	return verdict_contrast_half(c, half);
}

static bool verdict_needs_proven(const struct verdict_plan *p,
	const struct contrast *c, uint32_t blocks)
{
	double ways = permutation_test_ways(2 * blocks, blocks);
	double t = verdict_contrast_p(c);
	return 2 / ways <= p->alpha && t <= 0.05 &&
	       t * fmax(1, p->family) <= p->alpha &&
	       fabs(c->delta) > verdict_needs_half(c, 2.0 * blocks - 2);
}

static bool verdict_needs_iterations_prove(const struct verdict_plan *p,
	uint32_t n)
{
	uint32_t length = (n + NEEDS_BLOCKS_MAX - 1) / NEEDS_BLOCKS_MAX;
	uint32_t lost = p->units - 1;
	if (n < NEEDS_ITERATIONS_MIN + lost)
		return false;
	uint32_t blocks = n / length - (length == 1 ? lost : 0);
	double run = p->floor * p->mean_ns;
	struct contrast c = { .delta = p->delta_ns,
		.mean = p->mean_ns,
		.within = 2 * p->iteration_sd_ns * p->iteration_sd_ns / n,
		.df = 2.0 * blocks - 2 + NEEDS_PRIOR_DF,
		.run_var = 2 * run * run / p->units,
		.run_df = fmax(1, p->floor_df) };
	c.var = c.within;
	return verdict_needs_proven(p, &c, blocks);
}

static bool verdict_needs_runs_prove(const struct verdict_plan *p, uint32_t n)
{
	double floor = p->prior * p->mean_ns, floor_var = 2 * floor * floor / n;
	double within = p->iteration_sd_ns * p->iteration_sd_ns /
			fmax(1, p->iterations);
	double run = isnan(p->run_sd_ns) ? floor * floor + within
					 : p->run_sd_ns * p->run_sd_ns;
	bool known = isinf(p->prior_df);
	double df = 2.0 * n - 2, prior_df = known ? 0 : p->prior_df;
	struct contrast c = { .delta = p->delta_ns,
		.mean = p->mean_ns,
		.df = df,
		.within = 2 * run / n };
	if (!verdict_by_runs(n, n, p->alpha))
		return false;
	/* The floor makes the statistic smaller or larger, and in the same way
	 * the largest one of all splits. Only its degrees of freedom remain:
	 * those of a sum of the measured variance and a constant
	 * (Satterthwaite, 1946). */
	c.var = c.within;
	if (!known && c.within > 0)
		c.df = pow(df + prior_df * floor_var / c.within, 2) / df;
	if (known)
		c.var = fmax(c.var, floor_var);
	return verdict_needs_proven(p, &c, n);
}

/* Too few runs for a permutation: their iterations are permuted, and the noise
 * floor contains the differences between the runs of a side, which count as
 * 1 for two runs, 1.6 for three, and 0.64 each for more (successive_diff.h). */
static bool verdict_needs_few_runs_prove(const struct verdict_plan *p,
	uint32_t n)
{
	struct verdict_plan few = *p;
	double run = p->run_sd_ns / p->mean_ns;
	double own = 2 * (n == 2 ? 1 : n == 3 ? 1.6 : 0.64 * (n - 1));
	few.units = n;
	few.floor = p->prior;
	few.floor_df = p->prior_df;
	if (!isnan(run) && !isinf(p->prior_df)) {
		few.floor_df = p->prior_df + own;
		few.floor = sqrt(
			(p->prior_df * p->prior * p->prior + own * run * run) /
			few.floor_df);
	}
	return verdict_needs_iterations_prove(&few, n * p->iterations);
}

/* More of either never proves less. */
static uint32_t verdict_needs_min(const struct verdict_plan *p,
	bool prove(const struct verdict_plan *p, uint32_t n))
{
	uint32_t low = 1, high = VERDICT_NEEDS_MAX;
	if (!(fabs(p->delta_ns) > 0) || !prove(p, high))
		return 0;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (prove(p, mid))
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

uint32_t verdict_needs_iterations(const struct verdict_plan *p)
{
	return verdict_needs_min(p, verdict_needs_iterations_prove);
}

uint32_t verdict_needs_runs(const struct verdict_plan *p)
{
	for (uint32_t n = 2; !verdict_by_runs(n, n, p->alpha); n++)
		if (fabs(p->delta_ns) > 0 && verdict_needs_few_runs_prove(p, n))
			return n;
	return verdict_needs_min(p, verdict_needs_runs_prove);
}

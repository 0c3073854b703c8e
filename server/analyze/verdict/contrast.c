/* contrast.c - the difference of one row between the sides: means, variance, t and shift. */
#include "contrast.h"
#include "dist.h"
#include "order_stat.h"
#include "sort.h"
#include <math.h>
#include <stdlib.h>

/* The smallest share of the blocks' variance that counts as chance, so that the
 * last digits of the arithmetic are not evidence. */
#define CONTRAST_MIN_VARIANCE 1e-5

static double contrast_variance(const double *v, uint32_t n, double mean)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return n > 1 ? sum / (n - 1) : 0;
}

static double contrast_mean_of(const double *v, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return sum / n;
}

struct contrast contrast_of(const double *means, const struct blocks *b)
{
	const double *head = means + b->base_n;
	uint32_t all = b->base_n + b->head_n;
	struct contrast c = { .base = contrast_mean_of(means, b->base_n),
		.head = contrast_mean_of(head, b->head_n) };

	c.delta = c.head - c.base;
	c.mean = (c.head + c.base) / 2;
	c.sd = sqrt(
		contrast_variance(means, all, contrast_mean_of(means, all)));
	/* Equal values leave only what rounding makes of them. */
	if (c.sd <= 1e-12 * fabs(c.mean))
		c.sd = c.delta = 0;
	c.within =
		b->widen * b->widen *
		(contrast_variance(means, b->base_n, c.base) / b->base_n +
			contrast_variance(head, b->head_n, c.head) / b->head_n);
	return c;
}

void contrast_moderate(struct contrast *c, const struct blocks *b)
{
	double df = blocks_df(b);
	double units = 1.0 / b->base_n + 1.0 / b->head_n;

	c->min_var =
		fmax(c->min_var, CONTRAST_MIN_VARIANCE * c->sd * c->sd * units);
	c->df = df + c->prior_df;
	c->var = fmax(c->min_var,
		(df * c->within + c->prior_df * c->prior) / c->df);
}

static double contrast_p_of(double delta, double var, double df)
{
	if (var > 0)
		return dist_t_p(delta / sqrt(var), df);
	return delta == 0 ? 1 : 0;
}

double contrast_noise_p(const struct contrast *c)
{
	return contrast_p_of(c->delta, c->var, c->df);
}

double contrast_p(const struct contrast *c)
{
	double all = c->var + c->run_var;
	if (!(all > 0) || c->run_var == 0)
		return contrast_noise_p(c);
	double df =
		all * all /
		(c->var * c->var / c->df + c->run_var * c->run_var / c->run_df);
	double p = contrast_p_of(c->delta, all, df > 0 ? df : c->run_df);
	p = fmax(p, contrast_noise_p(c));
	return fmax(p, contrast_p_of(c->delta, c->run_var, c->run_df));
}

double contrast_noise_half(const struct contrast *c)
{
	return dist_t_quantile(0.975, c->df) * sqrt(c->var);
}

double contrast_half(const struct contrast *c, double half)
{
	if (c->run_var == 0)
		return half;
	double t = dist_t_quantile(0.975, fmax(1, c->run_df));
	return sqrt(half * half + t * t * c->run_var);
}

/* Hodges-Lehmann: differences of all pairs, and three of their order
 * statistics. */

/* The i-th of `few` evenly spaced quantiles of the sorted v[n]. */
static double contrast_quantile(const double *v, uint32_t n, uint32_t few,
	uint32_t i)
{
	return v[(uint64_t)n * (2 * (uint64_t)i + 1) / (2 * (uint64_t)few)];
}

struct contrast_shift contrast_shift_of(double *base, uint32_t base_n,
	double *head, uint32_t head_n, double *pairs)
{
	uint32_t few = base_n < head_n ? base_n : head_n, root = 1, n = 0;
	while ((root + 1) * (root + 1) <= CONTRAST_PAIRS)
		root++;
	few = few < root ? few : root;
	uint32_t most = CONTRAST_PAIRS / few;
	uint32_t base_few = base_n <= head_n ? few
			    : base_n < most  ? base_n
					     : most;
	uint32_t head_few = head_n < base_n ? few
			    : head_n < most ? head_n
					    : most;

	sort_double(base, base_n);
	sort_double(head, head_n);
	for (uint32_t i = 0; i < base_few; i++)
		for (uint32_t k = 0; k < head_few; k++)
			pairs[n++] =
				contrast_quantile(head, head_n, head_few, k) -
				contrast_quantile(base, base_n, base_few, i);
	struct contrast_shift s = { order_stat_median(pairs, n), NAN, NAN };
	if (base_n < CONTRAST_RANKS_MIN || head_n < CONTRAST_RANKS_MIN)
		return s;
	/* The number of pairs below the interval follows from the quantile of
	 * U. */
	double nb = base_n, nh = head_n;
	double out = 0.5 - 1.959964 * sqrt((nb + nh + 1) / (12 * nb * nh));
	uint32_t k = out * n >= 1 ? (uint32_t)(out * n) - 1 : 0;
	s.below = s.at - order_stat(pairs, n, k);
	s.above = order_stat(pairs, n, n - 1 - k) - s.at;
	return s;
}

/* contrast.c - means, Welch's variance, and t. */
#include "contrast.h"
#include "dist.h"
#include <math.h>

/* Of the blocks' variance: no less counts as chance, so that arithmetic's last
 * digits are none. */
#define CONTRAST_LEAST 1e-5

static double variance(const double *v, uint32_t n, double mean)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return n > 1 ? sum / (n - 1) : 0;
}

static double mean_of(const double *v, uint32_t n)
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
	struct contrast c = { .base = mean_of(means, b->base_n),
		.head = mean_of(head, b->head_n) };

	c.delta = c.head - c.base;
	c.mean = (c.head + c.base) / 2;
	c.sd = sqrt(variance(means, all, mean_of(means, all)));
	/* Of equal values, what rounding leaves. */
	if (c.sd <= 1e-12 * fabs(c.mean))
		c.sd = c.delta = 0;
	c.within = b->widen * b->widen *
		   (variance(means, b->base_n, c.base) / b->base_n +
			   variance(head, b->head_n, c.head) / b->head_n);
	return c;
}

void contrast_moderate(struct contrast *c, const struct blocks *b)
{
	double df = blocks_df(b);
	double units = 1.0 / b->base_n + 1.0 / b->head_n;

	c->least = fmax(c->least, CONTRAST_LEAST * c->sd * c->sd * units);
	c->df = df + c->prior_df;
	c->var = fmax(c->least,
		(df * c->within + c->prior_df * c->prior) / c->df);
}

static double p_of(double delta, double var, double df)
{
	if (var > 0)
		return dist_t_p(delta / sqrt(var), df);
	return delta == 0 ? 1 : 0;
}

double contrast_noise_p(const struct contrast *c)
{
	return p_of(c->delta, c->var, c->df);
}

double contrast_p(const struct contrast *c)
{
	double all = c->var + c->run_var;
	if (!(all > 0) || c->run_var == 0)
		return contrast_noise_p(c);
	double df =
		all * all /
		(c->var * c->var / c->df + c->run_var * c->run_var / c->run_df);
	double p = p_of(c->delta, all, df > 0 ? df : c->run_df);
	p = fmax(p, contrast_noise_p(c));
	return fmax(p, p_of(c->delta, c->run_var, c->run_df));
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

/* common_factor.c - estimates the factor by which most kernels changed (clocks,
 * power). */
#include "common_factor.h"
#include "dist.h"
#include "order_stat.h"
#include <math.h>

/* A kernel's time on both sides: exchanged sides use the same kernels, with the same
 * weights. */
static double common_factor_ns(const struct change *mean)
{
	return mean->base_ns + mean->head_ns;
}

/* Indices of the longest kernels that both sides have. */
struct common_factor_rows {
	uint32_t *rows, n;
	double *scratch; /* at least as many as rows */
};

static bool common_factor_rows(const struct verdict_input *in,
	const struct change *means, struct arena *a,
	struct common_factor_rows *out)
{
	double min_ns = 0;
	out->n = 0;
	out->rows = arena_array(a, uint32_t, in->n + 1);
	out->scratch = arena_array(a, double, in->n + 1);
	if (!out->rows || !out->scratch)
		return false;
	for (uint32_t i = 0; i < in->n; i++)
		if (in->rows[i].kernel && means[i].base_ns > 0 &&
			means[i].head_ns > 0)
			out->scratch[out->n++] = common_factor_ns(&means[i]);
	if (out->n > COMMON_FACTOR_ROWS_MAX)
		min_ns = order_stat(out->scratch, out->n,
			out->n - COMMON_FACTOR_ROWS_MAX);
	out->n = 0;
	for (uint32_t i = 0; i < in->n && out->n < COMMON_FACTOR_ROWS_MAX; i++)
		if (in->rows[i].kernel && means[i].base_ns > 0 &&
			means[i].head_ns > 0 &&
			common_factor_ns(&means[i]) >= min_ns)
			out->rows[out->n++] = i;
	return true;
}

/* The factors of one side; 1 if too few kernels ran in an iteration. */
static double *common_factor_side(const struct verdict_input *in,
	const struct common_factor_rows *k, const struct change *means,
	bool head, struct arena *a)
{
	uint32_t iterations = head ? in->head.n : in->base.n;
	double *f = arena_array(a, double, iterations), sum = 0;

	for (uint32_t c = 0; f && c < iterations; c++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < k->n; i++) {
			const struct verdict_row *r = &in->rows[k->rows[i]];
			const struct change *m = &means[k->rows[i]];
			double x = head ? r->head[c] : r->base[c];
			if (x > 0)
				k->scratch[n++] =
					x / (head ? m->head_ns : m->base_ns);
		}
		f[c] = n < COMMON_FACTOR_ROWS_MIN
			       ? 1
			       : order_stat_median(k->scratch, n);
		sum += f[c];
	}
	for (uint32_t c = 0; f && c < iterations; c++)
		f[c] *= iterations / sum;
	return f;
}

double common_factor_log_ratio(const struct verdict_input *in,
	const struct verdict_row *row, const struct change *mean)
{
	double base = mean->base_ns, head = mean->head_ns;

	if (!(base > 0) || !(head > 0))
		return NAN;
	if (row->base_launches > 0 && row->head_launches > 0) {
		base /= row->base_launches / in->base.n;
		head /= row->head_launches / in->head.n;
	}
	return log(head) - log(base);
}

/* A robust standard deviation: the median absolute deviation, scaled to a
 * normal distribution. */
static double common_factor_spread(const double *log_ratio, uint32_t n,
	double center, double *scratch)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = fabs(log_ratio[i] - center);
	return 1.4826 * order_stat_median(scratch, n);
}

static double common_factor_median(const double *v, uint32_t n, double *scratch)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = v[i];
	return order_stat_median(scratch, n);
}

/* Starts at the median of all rows. Then repeatedly takes the median of the
 * rows that are at most `within` away from the last median. Sets *uniform to
 * the number of these rows. */
static double common_factor_centre(const double *log_ratio, uint32_t n,
	double within, double *scratch, uint32_t *uniform)
{
	double center = common_factor_median(log_ratio, n, scratch);
	for (int turn = 0; turn < 8; turn++) {
		*uniform = 0;
		for (uint32_t i = 0; i < n; i++)
			if (fabs(log_ratio[i] - center) <= within)
				scratch[(*uniform)++] = log_ratio[i];
		if (!*uniform)
			break;
		center = order_stat_median(scratch, *uniform);
	}
	return center;
}

/* The maximum difference of rows that share one factor. It follows from the
 * differences between runs and between the rows. It is limited, because
 * otherwise any rows would share a factor. */
static double common_factor_tolerance(const struct verdict_input *in,
	const struct common_estimate *c, double sd)
{
	double runs = 2 * c->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);
	double most = fmax(runs, 2 * in->margin);
	return fmin(most, fmax(fmax(in->margin / 2, runs), 2.5 * sd));
}

static bool common_factor_ratio_from(const struct verdict_input *in,
	const struct change *means, const struct common_factor_rows *k,
	struct arena *a, struct common_estimate *c)
{
	double *log_ratio = arena_array(a, double, k->n);
	double all_ns = 0, uniform_ns = 0;
	uint32_t uniform = 0, turned = 0;

	if (!log_ratio)
		return false;
	for (uint32_t i = 0; i < k->n; i++)
		log_ratio[i] = common_factor_log_ratio(in,
			&in->rows[k->rows[i]], &means[k->rows[i]]);
	double center = common_factor_median(log_ratio, k->n, k->scratch);
	c->tolerance = common_factor_tolerance(in, c,
		common_factor_spread(log_ratio, k->n, center, k->scratch));
	center = common_factor_centre(log_ratio, k->n, c->tolerance, k->scratch,
		&turned);
	for (uint32_t i = 0; i < k->n; i++) {
		bool with = fabs(log_ratio[i] - center) <= c->tolerance;
		uniform += with;
		all_ns += common_factor_ns(&means[k->rows[i]]);
		uniform_ns += with ? common_factor_ns(&means[k->rows[i]]) : 0;
	}
	c->kernels = uniform;
	c->uniform = 2 * uniform > k->n && 2 * uniform_ns > all_ns;
	if (c->uniform) {
		c->log_ratio = center;
		c->log_sd = 1.2533 * c->tolerance / 2 / sqrt(uniform);
	}
	return true;
}

static void common_factor_noise_floor(const struct verdict_input *in,
	const struct common_factor_rows *k, struct common_estimate *c)
{
	for (uint32_t i = 0; i < k->n; i++)
		k->scratch[i] = in->rows[k->rows[i]].floor;
	c->floor = order_stat_median(k->scratch, k->n);
	for (uint32_t i = 0; i < k->n; i++)
		k->scratch[i] = fmin(in->rows[k->rows[i]].floor_df, 1e9);
	c->floor_df = order_stat_median(k->scratch, k->n);
}

static const double *common_factor_scaled(const double *f, uint32_t n,
	double by, struct arena *a)
{
	double *out = arena_array(a, double, n);
	for (uint32_t i = 0; out && i < n; i++)
		out[i] = f[i] * by;
	return out;
}

bool common_factor_estimate(const struct verdict_input *in,
	const struct change *means, struct arena *a,
	struct common_estimate *out)
{
	struct common_factor_rows k;

	*out = (struct common_estimate){ 0 };
	if (!common_factor_rows(in, means, a, &k))
		return false;
	if (k.n < COMMON_FACTOR_ROWS_MIN)
		return true;
	common_factor_noise_floor(in, &k, out);
	out->base = common_factor_side(in, &k, means, false, a);
	out->head = common_factor_side(in, &k, means, true, a);
	if (!out->base || !out->head ||
		!common_factor_ratio_from(in, means, &k, a, out))
		return false;
	out->known = true;
	out->free_base = out->base;
	out->free_head = common_factor_scaled(out->head, in->head.n,
		exp(out->log_ratio), a);
	return out->free_head;
}

/* The part of a kernel's change that the factor explains, the same in both directions:
 * the logarithmic mean of both times × the factor's logarithm. */
static double common_factor_part_ns(const struct change *mean, double log_ratio)
{
	double own = log(mean->head_ns) - log(mean->base_ns);
	/* Closer to 0, the quotient below has no digits left. */
	if (fabs(own) < 1e-6)
		return (mean->base_ns + mean->head_ns) / 2 * log_ratio;
	return (mean->head_ns - mean->base_ns) / own * log_ratio;
}

struct common_factor common_factor_report(const struct verdict_input *in,
	const struct common_estimate *c, const struct change *means,
	double noise, bool run)
{
	struct common_factor f = { .ratio = 1, .low = 1, .high = 1 };
	if (!c->known || !c->uniform)
		return f;
	double units = 1.0 / in->base.units + 1.0 / in->head.units;
	double t = dist_t_quantile(0.975, fmax(1, c->floor_df));
	double runs = run ? t * c->floor * sqrt(units) : 0;
	double half = sqrt(
		1.96 * 1.96 * (noise + c->log_sd * c->log_sd) + runs * runs);
	f.ratio = exp(c->log_ratio);
	f.low = exp(c->log_ratio - half);
	f.high = exp(c->log_ratio + half);
	f.there = fabs(c->log_ratio) > half &&
		  fabs(c->log_ratio) >= log1p(in->margin);
	for (uint32_t i = 0; i < in->n; i++) {
		double r = common_factor_log_ratio(in, &in->rows[i], &means[i]);
		if (!in->rows[i].kernel ||
			!(fabs(r - c->log_ratio) <= c->tolerance))
			continue;
		f.kernels++;
		f.ns += common_factor_part_ns(&means[i], c->log_ratio);
	}
	return f;
}

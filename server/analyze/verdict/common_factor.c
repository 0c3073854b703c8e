/* common_factor.c - the factors, cycle by cycle, and the ratio of the sides. */
#include "common_factor.h"
#include "dist.h"
#include "order_stat.h"
#include <math.h>

/* The kernels that are on both sides, the longest of them: their indices. */
struct asked {
	uint32_t *rows, n;
	double *scratch; /* as many as rows or more */
};

static bool asked_of(const struct verdict_input *in, const struct change *means,
	struct arena *a, struct asked *out)
{
	double least = 0;
	out->n = 0;
	out->rows = arena_array(a, uint32_t, in->n + 1);
	out->scratch = arena_array(a, double, in->n + 1);
	if (!out->rows || !out->scratch)
		return false;
	for (uint32_t i = 0; i < in->n; i++)
		if (in->rows[i].kernel && means[i].base_ns > 0 &&
			means[i].head_ns > 0)
			out->scratch[out->n++] = means[i].base_ns;
	if (out->n > COMMON_ROWS_MAX)
		least = order_stat(out->scratch, out->n,
			out->n - COMMON_ROWS_MAX);
	out->n = 0;
	for (uint32_t i = 0; i < in->n && out->n < COMMON_ROWS_MAX; i++)
		if (in->rows[i].kernel && means[i].base_ns > 0 &&
			means[i].head_ns > 0 && means[i].base_ns >= least)
			out->rows[out->n++] = i;
	return true;
}

/* One side's factors; 1 where too few kernels ran in a cycle. */
static double *factors(const struct verdict_input *in, const struct asked *k,
	const struct change *means, bool head, struct arena *a)
{
	uint32_t cycles = head ? in->head.n : in->base.n;
	double *f = arena_array(a, double, cycles), sum = 0;

	for (uint32_t c = 0; f && c < cycles; c++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < k->n; i++) {
			const struct verdict_row *r = &in->rows[k->rows[i]];
			const struct change *m = &means[k->rows[i]];
			double x = head ? r->head[c] : r->base[c];
			if (x > 0)
				k->scratch[n++] =
					x / (head ? m->head_ns : m->base_ns);
		}
		f[c] = n < COMMON_ROWS_MIN ? 1
					   : order_stat_median(k->scratch, n);
		sum += f[c];
	}
	for (uint32_t c = 0; f && c < cycles; c++)
		f[c] *= cycles / sum;
	return f;
}

double common_log_ratio(const struct verdict_input *in,
	const struct verdict_row *row, const struct change *mean)
{
	double ratio = mean->head_ns / mean->base_ns;

	if (!(mean->base_ns > 0) || !(mean->head_ns > 0))
		return NAN;
	if (row->base_launches > 0 && row->head_launches > 0)
		ratio *= row->base_launches / in->base.n /
			 (row->head_launches / in->head.n);
	return log(ratio);
}

/* A deviation that outliers do not make. */
static double spread(const double *log_ratio, uint32_t n, double centre,
	double *scratch)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = fabs(log_ratio[i] - centre);
	return 1.4826 * order_stat_median(scratch, n);
}

static double median_of(const double *v, uint32_t n, double *scratch)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = v[i];
	return order_stat_median(scratch, n);
}

/* From the median of all rows to that of those that moved with it. */
static double centre_of(const double *log_ratio, uint32_t n, double within,
	double *scratch, uint32_t *alike)
{
	double centre = median_of(log_ratio, n, scratch);
	for (int turn = 0; turn < 8; turn++) {
		*alike = 0;
		for (uint32_t i = 0; i < n; i++)
			if (fabs(log_ratio[i] - centre) <= within)
				scratch[(*alike)++] = log_ratio[i];
		if (!*alike)
			break;
		centre = order_stat_median(scratch, *alike);
	}
	return centre;
}

/* How far rows of one mind may lie apart: what runs differ by and what these
 * do, but never so much that any rows at all would be of one mind. */
static double tolerance_of(const struct verdict_input *in,
	const struct common *c, double sd)
{
	double runs = 2 * c->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);
	double most = fmax(runs, 2 * in->margin);
	return fmin(most, fmax(fmax(in->margin / 2, runs), 2.5 * sd));
}

static bool ratio_from(const struct verdict_input *in,
	const struct change *means, const struct asked *k, struct arena *a,
	struct common *c)
{
	double *log_ratio = arena_array(a, double, k->n);
	double all_ns = 0, alike_ns = 0;
	uint32_t alike = 0, turned = 0;

	if (!log_ratio)
		return false;
	for (uint32_t i = 0; i < k->n; i++)
		log_ratio[i] = common_log_ratio(in, &in->rows[k->rows[i]],
			&means[k->rows[i]]);
	double centre = median_of(log_ratio, k->n, k->scratch);
	c->tolerance = tolerance_of(in, c,
		spread(log_ratio, k->n, centre, k->scratch));
	centre = centre_of(log_ratio, k->n, c->tolerance, k->scratch, &turned);
	for (uint32_t i = 0; i < k->n; i++) {
		bool with = fabs(log_ratio[i] - centre) <= c->tolerance;
		alike += with;
		all_ns += means[k->rows[i]].base_ns;
		alike_ns += with ? means[k->rows[i]].base_ns : 0;
	}
	c->kernels = alike;
	c->alike = 2 * alike > k->n && 2 * alike_ns > all_ns;
	if (c->alike) {
		c->log_ratio = centre;
		c->log_sd = 1.2533 * c->tolerance / 2 / sqrt(alike);
	}
	return true;
}

static void floor_from(const struct verdict_input *in, const struct asked *k,
	struct common *c)
{
	for (uint32_t i = 0; i < k->n; i++)
		k->scratch[i] = in->rows[k->rows[i]].floor;
	c->floor = order_stat_median(k->scratch, k->n);
	for (uint32_t i = 0; i < k->n; i++)
		k->scratch[i] = fmin(in->rows[k->rows[i]].floor_df, 1e9);
	c->floor_df = order_stat_median(k->scratch, k->n);
}

static const double *times(const double *f, uint32_t n, double by,
	struct arena *a)
{
	double *out = arena_array(a, double, n);
	for (uint32_t i = 0; out && i < n; i++)
		out[i] = f[i] * by;
	return out;
}

bool common_from(const struct verdict_input *in, const struct change *means,
	struct arena *a, struct common *out)
{
	struct asked k;

	*out = (struct common){ 0 };
	if (!asked_of(in, means, a, &k))
		return false;
	if (k.n < COMMON_ROWS_MIN)
		return true;
	floor_from(in, &k, out);
	out->base = factors(in, &k, means, false, a);
	out->head = factors(in, &k, means, true, a);
	if (!out->base || !out->head || !ratio_from(in, means, &k, a, out))
		return false;
	out->known = true;
	out->free_base = out->base;
	out->free_head = times(out->head, in->head.n, exp(out->log_ratio), a);
	return out->free_head;
}

struct common_factor common_told(const struct verdict_input *in,
	const struct common *c, const struct change *means, double noise,
	bool run)
{
	struct common_factor f = { .ratio = 1, .low = 1, .high = 1 };
	if (!c->known || !c->alike)
		return f;
	double units = 1.0 / in->base.units + 1.0 / in->head.units;
	double t = dist_t_quantile(0.975, fmax(1, c->floor_df));
	double runs = run ? t * c->floor * sqrt(units) : 0;
	double half = sqrt(
		1.96 * 1.96 * (noise + c->log_sd * c->log_sd) + runs * runs);
	f.ratio = exp(c->log_ratio);
	f.low = exp(c->log_ratio - half);
	f.high = exp(c->log_ratio + half);
	f.there = fabs(c->log_ratio) > half && fabs(f.ratio - 1) >= in->margin;
	for (uint32_t i = 0; i < in->n; i++) {
		double r = common_log_ratio(in, &in->rows[i], &means[i]);
		if (!in->rows[i].kernel ||
			!(fabs(r - c->log_ratio) <= c->tolerance))
			continue;
		f.kernels++;
		f.ns += means[i].head_ns * (1 - 1 / f.ratio);
	}
	return f;
}

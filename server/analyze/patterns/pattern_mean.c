/* pattern_mean.c - computes means of patterns over iterations. */
#include "pattern_mean.h"
#include "sort.h"
#include <math.h>
#include <stdlib.h>

/* Returns whether the table's i-th iteration counts. */
static bool pattern_mean_counts(const struct iterations *c,
	const struct patterns *p, uint32_t i)
{
	return !c->kept_n ||
	       c->iterations[p->iteration[i]].use == ITERATION_KEPT;
}

static void pattern_mean_extend(struct pattern_mean *m, int64_t min_ns,
	int64_t max_ns)
{
	if (min_ns >= 0 && (m->min_ns < 0 || min_ns < m->min_ns))
		m->min_ns = min_ns;
	if (max_ns > m->max_ns)
		m->max_ns = max_ns;
}

static void pattern_mean_row(const struct iterations *c,
	const struct patterns *p, const struct pattern *row,
	uint32_t iterations, struct pattern_mean *m)
{
	double beta = 0;
	bool any = false;
	*m = (struct pattern_mean){ .of = row, .min_ns = -1, .max_ns = -1 };
	for (uint32_t i = 0; i < p->iterations_n; i++) {
		if (!pattern_mean_counts(c, p, i))
			continue;
		double share = pattern_beta(c, p, row, i);
		if (row->launches[i] || row->dur_ns[i])
			m->iterations++;
		m->ns += (double)row->dur_ns[i];
		m->launches += (double)row->launches[i];
		beta += isnan(share) ? 0 : share;
		any = any || !isnan(share);
		pattern_mean_extend(m, row->min_ns[i], row->max_ns[i]);
	}
	m->ns = iterations ? m->ns / iterations : (double)NAN;
	m->launches = iterations ? m->launches / iterations : (double)NAN;
	m->beta_pct = any ? beta / iterations : (double)NAN;
}

static void pattern_mean_metric(const struct iterations *c,
	const struct patterns *p, const struct pattern_metric *metric,
	struct metric_mean *m)
{
	*m = (struct metric_mean){ .name = metric->name };
	for (uint32_t i = 0; i < p->iterations_n; i++) {
		if (!pattern_mean_counts(c, p, i) || isnan(metric->mu[i]))
			continue;
		m->iterations++;
		m->mu += metric->mu[i];
		m->sigma += isnan(metric->sigma[i]) ? 0 : metric->sigma[i];
		m->partly += metric->interpolated[i] == 1;
		m->interpolated += metric->interpolated[i] == 2;
	}
	m->mu = m->iterations ? m->mu / m->iterations : (double)NAN;
	m->sigma = m->iterations ? m->sigma / m->iterations : (double)NAN;
}

bool pattern_mean_from(const struct iterations *c, const struct patterns *p,
	struct arena *a, struct pattern_means *out)
{
	struct metric_mean *metrics =
		arena_array(a, struct metric_mean, p->metrics_n);
	*out = (struct pattern_means){
		.rows = arena_array(a, struct pattern_mean, p->n),
		.n = p->n,
	};
	if (!metrics || !out->rows)
		return false;
	for (uint32_t i = 0; i < p->iterations_n; i++)
		out->iterations += pattern_mean_counts(c, p, i);
	for (uint32_t i = 0; i < p->n; i++)
		pattern_mean_row(c, p, &p->rows[i], out->iterations,
			&out->rows[i]);
	for (uint32_t i = 0; i < p->metrics_n; i++) {
		struct pattern_mean *row = &out->rows[p->metrics[i].pattern];
		pattern_mean_metric(c, p, &p->metrics[i], &metrics[i]);
		if (!row->metrics_n++)
			row->metrics = &metrics[i];
	}
	return true;
}

bool iterations_median(const struct iterations *c, struct arena *a, double *ns)
{
	int64_t *durs = arena_grow(a, NULL, ((size_t)c->n + 1) * sizeof *durs);
	uint32_t n = 0;
	if (!durs)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->iterations[i].dur_ns >= 0 &&
			(!c->kept_n || c->iterations[i].use == ITERATION_KEPT))
			durs[n++] = c->iterations[i].dur_ns;
	sort_int64(durs, n);
	uint32_t low = n ? (n - 1) / 2 : 0, high = n / 2;
	*ns = n ? ((double)durs[low] + (double)durs[high]) / 2 : (double)NAN;
	arena_drop(a, durs);
	return true;
}

/* noise_floor.c - learns the prior of noise floors, and combines it with the
 * variance of repeats. */
#include "noise_floor.h"
#include "dist.h"
#include "names.h"
#include "order_stat.h"
#include <math.h>
#include <string.h>

static double noise_floor_sum_ns(const struct repeat_run *run)
{
	double sum = 0;
	for (uint32_t i = 0; i < run->means_n; i++)
		sum += run->means[i].mean_ns;
	return sum;
}

/* The means of a run are sorted by name. */
double noise_floor_mean_ns(const struct repeat_run *run, const char *name)
{
	uint32_t lo = 0, hi = run->means_n;

	if (!name)
		return noise_floor_sum_ns(run);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int c = strcmp(run->means[mid].name, name);
		if (!c)
			return run->means[mid].mean_ns;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/* Whether a run is the first of its group. */
static bool noise_floor_group_first(const struct repeats *r, uint32_t run)
{
	for (uint32_t i = 0; i < run; i++)
		if (r->runs[i].group == r->runs[run].group)
			return false;
	return true;
}

struct logs {
	int64_t run[NOISE_FLOOR_RUNS_MAX];
	double x[NOISE_FLOOR_RUNS_MAX];
	uint32_t n;
};

/* Inserts a value sorted by run id, so that neighbors are neighbors in time. */
static void noise_floor_logs_put(struct logs *l, int64_t run, double x)
{
	uint32_t at = l->n++;
	for (; at > 0 && l->run[at - 1] > run; at--) {
		l->run[at] = l->run[at - 1];
		l->x[at] = l->x[at - 1];
	}
	l->run[at] = run;
	l->x[at] = x;
}

static struct successive_diff noise_floor_group_of(const struct repeats *r,
	uint32_t first, const char *name)
{
	struct logs l = { .n = 0 };

	for (uint32_t i = first; i < r->n && l.n < NOISE_FLOOR_RUNS_MAX; i++) {
		if (r->runs[i].group != r->runs[first].group)
			continue;
		double ns = noise_floor_mean_ns(&r->runs[i], name);
		if (ns > 0)
			noise_floor_logs_put(&l, r->runs[i].run, log(ns));
	}
	return successive_diff_from(l.x, l.n);
}

void noise_floor_update(struct noise_floor *f,
	const struct successive_diff *own)
{
	if (f->from == FLOOR_GIVEN || own->df == 0)
		return;
	double squares = f->df * f->sd * f->sd + own->df * own->variance;
	f->df += own->df;
	f->sd = sqrt(squares / f->df);
	f->from = FLOOR_LEARNED;
}

/* The prior of a variance. */

/* Smaller variances are not used; of the median. */
static const double smallest = 1e-5;

/* The degrees of freedom d with ψ'(d/2) = v. ψ' decreases from infinity to 0, so
 * halving an interval of log d finds d. */
static double noise_floor_fit_df(double v)
{
	double low = log(1e-6), high = log(1e9);
	if (!(v > 0))
		return INFINITY;
	for (int i = 0; i < 100; i++) {
		double mid = (low + high) / 2;
		if (dist_trigamma(exp(mid) / 2) > v)
			low = mid;
		else
			high = mid;
	}
	return exp((low + high) / 2);
}

/* The mean of the logarithm of χ²(df) / df. */
static double noise_floor_fit_bias(double df)
{
	return dist_digamma(df / 2) - log(df / 2);
}

static bool noise_floor_fit_usable(const struct noise_sample *x)
{
	return x->df > 0 && isfinite(x->df) && isfinite(x->variance);
}

static double noise_floor_fit_median(const struct noise_sample *x, uint32_t n,
	struct arena *a)
{
	double *sorted = arena_array(a, double, n + 1);
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (noise_floor_fit_usable(&x[i]))
			sorted[k++] = x[i].variance;
	return k ? order_stat_median(sorted, k) : 0;
}

/* The variance of the mean of e if all estimates of a cluster share their
 * chance. */
static double noise_floor_fit_shared(const struct noise_sample *x, uint32_t n,
	double limit, struct arena *a, uint32_t used)
{
	uint32_t clusters = 0;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		if (x[i].cluster >= clusters)
			clusters = x[i].cluster + 1;
	double *of = arena_array(a, double, clusters + 1);
	for (uint32_t i = 0; i < n; i++)
		if (noise_floor_fit_usable(&x[i]) && x[i].variance >= limit)
			of[x[i].cluster] += sqrt(dist_trigamma(x[i].df / 2));
	for (uint32_t i = 0; i < clusters; i++)
		sum += of[i] * of[i];
	return sum / used / used;
}

bool noise_floor_fit(const struct noise_sample *x, uint32_t n, struct arena *a,
	struct noise_fit *out)
{
	double limit = smallest * noise_floor_fit_median(x, n, a);
	double mean = 0, squares = 0, chance = 0;
	uint32_t k = 0;

	*out = (struct noise_fit){ 0 };
	if (!(limit > 0))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!noise_floor_fit_usable(&x[i]) || x[i].variance < limit)
			continue;
		double e = log(x[i].variance) - noise_floor_fit_bias(x[i].df);
		double off = e - mean;
		k++;
		mean += off / k; /* Welford's update */
		squares += off * (e - mean);
		chance += dist_trigamma(x[i].df / 2);
	}
	if (k < NOISE_FLOOR_FIT_MIN)
		return false;
	double spread = squares / (k - 1) - chance / k;
	double shared = noise_floor_fit_shared(x, n, limit, a, k);
	out->used = k;
	out->spread_df = noise_floor_fit_df(spread);
	out->most_df = noise_floor_fit_df(shared);
	/* With less than one degree of freedom a prior would say nothing, and
	 * quantiles of Student's t do not exist. */
	out->df = fmax(1, noise_floor_fit_df(fmax(spread, 0) + shared));
	out->variance = exp(mean + noise_floor_fit_bias(out->df));
	return true;
}

static const struct noise_prior noise_prior_default = {
	.from = FLOOR_DEFAULT,
	.sd = NOISE_FLOOR_DEFAULT_SD,
	.df = NOISE_FLOOR_DEFAULT_DF,
	.most_df = NAN,
};

/* Each name of the runs of a group once. */
static void noise_floor_samples_group(const struct repeats *r, uint32_t first,
	struct arena *a, struct noise_sample *samples, uint32_t *n)
{
	struct names seen;
	names_init(&seen, a);
	names_put(&seen, "", 0);
	for (uint32_t i = first; i < r->n; i++) {
		const struct repeat_run *run = &r->runs[i];
		if (run->group != r->runs[first].group)
			continue;
		for (uint32_t k = 0; k < run->means_n; k++) {
			uint32_t known = seen.n;
			const char *name = run->means[k].name;
			if (names_put(&seen, name, strlen(name)) < known)
				continue;
			struct successive_diff d =
				noise_floor_group_of(r, first, name);
			samples[(*n)++] = (struct noise_sample){ d.variance,
				d.df, run->cluster };
		}
	}
}

struct noise_prior noise_floor_prior(const struct repeats *r, struct arena *a)
{
	struct noise_prior prior = noise_prior_default;
	struct noise_fit fit;
	uint32_t n = 0, most = 0;

	if (!r || !r->n)
		return prior;
	int64_t *runs = arena_array(a, int64_t, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		runs[i] = r->runs[i].run;
		most += r->runs[i].means_n;
	}
	prior.runs = runs;
	prior.runs_n = r->n;
	struct noise_sample *samples =
		arena_array(a, struct noise_sample, most + 1);
	for (uint32_t i = 0; i < r->n; i++)
		if (noise_floor_group_first(r, i))
			noise_floor_samples_group(r, i, a, samples, &n);
	if (!noise_floor_fit(samples, n, a, &fit))
		return prior;
	prior.from = FLOOR_LEARNED;
	prior.sd = sqrt(fit.variance);
	prior.df = fit.df;
	prior.most_df = fit.most_df;
	prior.variances = fit.used;
	return prior;
}

/* Adds the repeats of a function to a floor. */
static void noise_floor_repeats_add(const struct repeats *r, const char *name,
	struct noise_floor *f)
{
	for (uint32_t i = 0; r && i < r->n; i++)
		if (!r->runs[i].other && noise_floor_group_first(r, i)) {
			struct successive_diff g =
				noise_floor_group_of(r, i, name);
			noise_floor_update(f, &g);
		}
}

struct noise_floor noise_floor_default(double given)
{
	if (given >= 0)
		return (struct noise_floor){ given, INFINITY, FLOOR_GIVEN };
	return (struct noise_floor){ NOISE_FLOOR_DEFAULT_SD,
		NOISE_FLOOR_DEFAULT_DF, FLOOR_DEFAULT };
}

struct noise_floor noise_floor_learned(const struct repeats *r,
	const char *name, double given)
{
	const struct noise_prior *p = r ? r->prior : NULL;
	struct noise_floor f = noise_floor_default(given);

	if (f.from == FLOOR_GIVEN)
		return f;
	if (!p || p->from != FLOOR_LEARNED) {
		noise_floor_repeats_add(r, name, &f);
		return f;
	}
	f = (struct noise_floor){ p->sd, p->df, FLOOR_LEARNED };
	noise_floor_repeats_add(r, name, &f);
	f.df = fmin(f.df, fmax(p->most_df, f.df - p->df));
	f.df = fmax(f.df, 1);
	return f;
}

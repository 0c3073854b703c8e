/* noise_floor.c - combines the default noise floor with the variance of
 * repeats. */
#include "noise_floor.h"
#include <math.h>
#include <string.h>

static double noise_floor_log_sum(const struct repeat_run *run)
{
	double sum = 0;
	for (uint32_t i = 0; i < run->means_n; i++)
		sum += run->means[i].mean_ns;
	return sum > 0 ? log(sum) : NAN;
}

/* The logarithm of a function's mean in a run; NaN if the function did not run.
 * The means of a run are sorted by name. */
static double noise_floor_log_mean(const struct repeat_run *run,
	const char *name)
{
	uint32_t lo = 0, hi = run->means_n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int c = strcmp(run->means[mid].name, name);
		if (!c)
			return run->means[mid].mean_ns > 0
				       ? log(run->means[mid].mean_ns)
				       : NAN;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NAN;
}

/* Whether an earlier run belongs to the same group. */
static bool noise_floor_group_seen(const struct repeats *r, uint32_t run)
{
	for (uint32_t i = 0; i < run; i++)
		if (r->runs[i].group == r->runs[run].group)
			return true;
	return false;
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
		double x = name ? noise_floor_log_mean(&r->runs[i], name)
				: noise_floor_log_sum(&r->runs[i]);
		if (!isnan(x))
			noise_floor_logs_put(&l, r->runs[i].run, x);
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

struct noise_floor noise_floor_of(const struct repeats *r, const char *name,
	double given)
{
	struct noise_floor f = { NOISE_FLOOR_DEFAULT_SD, NOISE_FLOOR_DEFAULT_DF,
		FLOOR_DEFAULT };

	if (given >= 0)
		return (struct noise_floor){ given, INFINITY, FLOOR_GIVEN };
	for (uint32_t i = 0; r && i < r->n; i++)
		if (!noise_floor_group_seen(r, i)) {
			struct successive_diff g =
				noise_floor_group_of(r, i, name);
			noise_floor_update(&f, &g);
		}
	return f;
}

/* floor.c - the default and what repeats tell, mixed by what each counts for. */
#include "floor.h"
#include "order_stat.h"
#include <math.h>
#include <string.h>

/* The function's mean in a run; NaN where it did not run. Sorted by name. */
static double log_mean(const struct repeat_run *run, const char *name)
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

/* Has an earlier run opened this run's group? */
static bool seen(const struct repeats *r, uint32_t run)
{
	for (uint32_t i = 0; i < run; i++)
		if (r->runs[i].group == r->runs[run].group)
			return true;
	return false;
}

/* Of chi-square with one degree of freedom. */
#define MEDIAN_OF_SQUARES 0.4549

struct logs {
	int64_t run[FLOOR_RUNS_MAX];
	double x[FLOOR_RUNS_MAX];
	uint32_t n;
};

/* By run, so that neighbours are neighbours in time. */
static void logs_put(struct logs *l, int64_t run, double x)
{
	uint32_t at = l->n++;
	for (; at > 0 && l->run[at - 1] > run; at--) {
		l->run[at] = l->run[at - 1];
		l->x[at] = l->x[at - 1];
	}
	l->run[at] = run;
	l->x[at] = x;
}

/* Half the squared differences of neighbours, each a variance. */
static uint32_t successive(const struct logs *l, double *halves)
{
	uint32_t n = 0;
	for (uint32_t i = 1; i < l->n; i++) {
		double d = l->x[i] - l->x[i - 1];
		halves[n++] = d * d / 2;
	}
	return n;
}

static void add_group(const struct repeats *r, uint32_t first, const char *name,
	double *squares, double *df)
{
	double halves[FLOOR_RUNS_MAX], sum = 0;
	struct logs l = { .n = 0 };

	for (uint32_t i = first; i < r->n && l.n < FLOOR_RUNS_MAX; i++) {
		double x = log_mean(&r->runs[i], name);
		if (r->runs[i].group == r->runs[first].group && !isnan(x))
			logs_put(&l, r->runs[i].run, x);
	}
	uint32_t n = successive(&l, halves);
	if (!n)
		return;
	double worth = n == 1 ? 1 : fmax(4.0 / 3, 0.4 * n);
	for (uint32_t i = 0; i < n; i++)
		sum += halves[i];
	double variance =
		n < 3 ? sum / n
		      : order_stat_median(halves, n) / MEDIAN_OF_SQUARES;
	*squares += worth * variance;
	*df += worth;
}

struct run_floor floor_of(const struct repeats *r, const char *name,
	double given)
{
	double squares = 0, df = 0;

	if (given >= 0)
		return (struct run_floor){ given, INFINITY, FLOOR_GIVEN };
	for (uint32_t i = 0; r && i < r->n; i++)
		if (!seen(r, i))
			add_group(r, i, name, &squares, &df);
	if (df == 0)
		return (struct run_floor){ FLOOR_DEFAULT_SD, FLOOR_DEFAULT_DF,
			FLOOR_DEFAULT };
	squares += FLOOR_DEFAULT_DF * FLOOR_DEFAULT_SD * FLOOR_DEFAULT_SD;
	df += FLOOR_DEFAULT_DF;
	return (struct run_floor){ sqrt(squares / df), df, FLOOR_LEARNT };
}

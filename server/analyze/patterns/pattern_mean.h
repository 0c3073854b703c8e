/* pattern_mean.h - means of a run's patterns over the kept iterations of the
 * table, per function and device. */
#pragma once
#include "arena.h"
#include "iterations.h"
#include "patterns.h"
#include <math.h>

struct metric_mean {
	const char *name;
	double mu, sigma; /* mean over iterations with a value; NaN: none */
	uint32_t iterations; /* with a value */
	uint32_t partly,
		interpolated; /* with some values, all values interpolated */
};

struct pattern_mean {
	const struct pattern *of;
	double ns, launches; /* per iteration; 0 if it did not run */
	double beta_pct; /* likewise; NaN if no iteration has it */
	int64_t min_ns, max_ns; /* of one execution; -1 unknown */
	uint32_t iterations; /* in which it ran */
	struct metric_mean *metrics; /* by name */
	uint32_t metrics_n;
};

struct pattern_means {
	uint32_t iterations; /* number of iterations in the means */
	struct pattern_mean *rows; /* in the order of the patterns */
	uint32_t n;
};

/* Returns false if the arena is full. The result points into `p`. If no
 * iteration was kept, all iterations of the table count. */
bool pattern_mean_from(const struct iterations *c, const struct patterns *p,
	struct arena *a, struct pattern_means *out);

/* Stores the median duration of the kept iterations, or of all if none was
 * kept; NaN if there is none or its duration is unknown. Returns false if the
 * arena is full. */
bool iterations_median(const struct iterations *c, struct arena *a, double *ns);

/* Returns β of the table's i-th iteration: the value of the imported table,
 * else the time / the duration of the iteration. NaN if neither is known. */
static inline double pattern_beta(const struct iterations *c,
	const struct patterns *p, const struct pattern *row, uint32_t i)
{
	int64_t whole_ns = c->iterations[p->iteration[i]].dur_ns;
	if (row->beta_pct)
		return row->beta_pct[i];
	return whole_ns > 0 ? 100 * (double)row->dur_ns[i] / (double)whole_ns
			    : (double)NAN;
}

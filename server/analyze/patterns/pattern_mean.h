/* pattern_mean.h - a run's patterns in short: a line per function and device,
 * over the kept cycles that are told. */
#pragma once
#include "arena.h"
#include "cycles.h"
#include "patterns.h"

struct metric_mean {
	const char *name;
	double mu, sigma; /* mean over the cycles with a value; NaN: none has */
	uint32_t cycles; /* with a value */
	uint32_t partly, interpolated; /* of them: in some values, in all */
};

struct pattern_mean {
	const struct pattern *of;
	double ns, launches; /* per cycle; cycles without it count as 0 */
	double beta_pct; /* likewise; NaN where no cycle tells it */
	int64_t min_ns, max_ns; /* of one execution; -1 unknown */
	uint32_t cycles; /* it ran in */
	struct metric_mean *metrics; /* by name */
	uint32_t metrics_n;
};

struct pattern_means {
	uint32_t cycles; /* that the means are over */
	struct pattern_mean *rows; /* in the order of the patterns */
	uint32_t n;
};

/* False where the arena is full. Points into `p`. Where no cycle was kept, all
 * that are told count. */
bool pattern_mean_from(const struct cycles *c, const struct patterns *p,
	struct arena *a, struct pattern_means *out);

/* β of the i-th told cycle: as a table told it, else time / cycle; NaN where
 * neither is known. */
double pattern_beta(const struct cycles *c, const struct patterns *p,
	const struct pattern *row, uint32_t i);

/* The median duration of the kept cycles, all where none was kept; NaN where
 * there is none or it is not told. */
bool cycles_median(const struct cycles *c, struct arena *a, double *ns);

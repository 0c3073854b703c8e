/* trend.h - a workload over time: one number of each of its units.
 *
 * A unit is a run, or a job: then the mean over those of its ranks that have the
 * number. By metric and stat, of a run:
 *
 *   iteration     of the durations of its kept iterations: median (as in
 *                 /runs/{id}), mean, minimum, maximum, percentiles
 *   busy, idle, exposed_comm   the same of the kept iterations whose split is known:
 *                 compute + comm + copies; idle; comm, of iterations.h
 *   operator      avg: its GPU time in the run / the run's iterations, kept or not
 *                 (it is of all of them); total: its GPU time; share: of the
 *                 run's. 0 where the run has none of it
 *   kernel        the line of its table over all devices; share of the run's GPU
 *                 time. A kernel that did not run has no avg, and a total of 0. Of
 *                 a printed table with several lines for it, no percentiles
 *   coverage      share of GPU time that belongs to an operator
 *   headroom      share of GPU time above T_SOL and the launch floor, collectives
 *                 apart; of what has a T_SOL, as in /runs/{id}/operators
 *
 * If names lag behind durations (note names_lag), a run has no number that depends
 * on names: exposed_comm, operator, kernel, coverage, headroom. Units without the
 * number are left out and counted. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

enum trend_metric {
#define METRIC(word, first, rest, what) TREND_METRIC_##word,
#include "trend.def"
#undef METRIC
	TREND_METRICS
};

/* The order of routes.def. */
enum trend_stat {
	TREND_AVG,
	TREND_MED,
	TREND_MIN,
	TREND_MAX,
	TREND_P90,
	TREND_P99,
	TREND_TOTAL,
	TREND_SHARE,
	TREND_STATS
};

struct trend {
	/* Oldest first; `run` is a job's first, by rank. */
	int64_t *run,
		*at; /* us since 1970: when it was stored, a job's first */
	double *value; /* ns, or a share of 1 */
	const char **group; /* what its label says; NULL none */
	uint32_t n;
	bool more; /* there are older units than were looked at */
	int64_t left_out; /* runs of those looked at, without such a number */
	bool there; /* some unit has the operator or kernel at all */
};

const char *trend_metric_word(enum trend_metric m);
const char *trend_stat_word(enum trend_stat s);
enum trend_stat trend_stat_of(enum trend_metric m);
/* NULL if the metric has this; else "median, mean, min": all that it has, the default
 * first. */
const char *trend_others(struct arena *a, enum trend_metric m,
	enum trend_stat s);

/* Whether it is of an operator or a kernel, by name. */
static inline bool trend_has_of(enum trend_metric m)
{
	return m == TREND_METRIC_operator || m == TREND_METRIC_kernel;
}

/* group[t->n]: neighbors with the same text have one number, those without a text
 * each their own. Returns whether any has a text. */
bool trend_groups(const struct trend *t, uint32_t *group);

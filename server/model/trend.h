/* trend.h - a workload over time: one value per unit of the workload.
 *
 * A unit is a run or a job. The value of a job is the mean over those of its
 * ranks that have a value. The value of a run depends on metric and stat:
 *
 *   iteration     over the durations of its kept iterations: median (as in
 *                 /runs/{id}), mean, minimum, maximum, percentiles
 *   busy, idle, exposed_comm   these statistics of a part of the iteration,
 *                 over kept iterations whose split is known (iterations.h):
 *                 busy is compute + comm + copies, exposed_comm is comm
 *   operator      avg: the operator's GPU time in the run / number of the run's
 *                 iterations (also those not kept, because the time includes
 *                 them); total: its GPU time; share: of the run's GPU time.
 *                 0 if the run does not contain the operator
 *   kernel        the kernel's line in the table over all devices; share: its
 *                 share of the run's GPU time. A kernel that did not run has no
 *                 avg, and a total of 0. If an imported table has several lines
 *                 for the kernel, there are no percentiles
 *   coverage      share of GPU time that is attributed to an operator
 *   headroom      share of GPU time above T_SOL and the launch floor; only
 *                 calls with a T_SOL, as in /runs/{id}/operators, but without
 *                 collectives: waiting for other ranks is no change of a run
 *   busbw         Σ bytes·factor / Σ duration of the run's collectives whose
 *                 size and factor are known (collective.h), in 10^9 bytes per
 *                 second. Durations include the time in which the rank waits
 *                 for others, because a series reads no other rank. Sends and
 *                 receives mostly wait, so only a series of their kind has them
 *
 *   measure       the value of this name that was attached to the run, or its energy
 *                 (iteration_energy, token_energy), in the unit of the newest of these runs that has one. A run with another
 *                 unit has no value
 *
 * If names lag behind durations (note names_lag), a run has no value for
 * metrics that depend on names: exposed_comm, operator, kernel, coverage,
 * headroom, busbw. If calls have no starts (CONTENT_DURATIONS), it has no
 * iterations, and no value per iteration. Units without a value are excluded and
 * counted. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

enum trend_metric {
#define METRIC(word, ...) TREND_METRIC_##word,
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

/* What the parameter `of` of a metric is. */
enum trend_of { TREND_OF_NONE, TREND_OF_NAME, TREND_OF_KIND };

struct trend {
	/* One element per unit, oldest first. For a job, `run` is the run with
	 * the lowest rank. */
	int64_t *run, *at; /* time of storing in us since 1970; of a job's first
			run */
	double *value; /* in the unit of the series */
	const char **group; /* the text of its label; NULL none */
	uint32_t n;
	bool more; /* there are older units, which were not examined */
	int64_t left_out; /* examined runs without a value */
	bool there; /* at least one unit has the operator, kernel or measure */
	/* Of metric measure: the unit of the values; "number": none. Latencies are
	 * ns. Else NULL. */
	const char *unit;
	bool higher; /* of metric measure: higher values are better */
	bool lower;
};

const char *trend_metric_word(enum trend_metric m);
const char *trend_stat_word(enum trend_stat s);
enum trend_stat trend_stat_of(enum trend_metric m);
/* NULL if the metric has this stat. Else all stats of the metric, the default
 * first: "median, mean, min". */
const char *trend_others(struct arena *a, enum trend_metric m,
	enum trend_stat s);

enum trend_of trend_of(enum trend_metric m);
/* "ns"; "GB/s", which is 10^9 bytes per second; "1", a share between 0 and 1. Not of
 * metric measure. */
const char *trend_unit(enum trend_metric m, enum trend_stat s);
/* Whether a change from one level to another makes the metric worse. Of metric
 * measure this depends on `t`. */
bool trend_worse(enum trend_metric m, const struct trend *t, double before,
	double after);

/* Fills group[t->n] with group numbers. Neighboring units with equal texts
 * share a number; a unit without a text has a number of its own. Returns
 * whether any unit has a text. */
bool trend_groups(const struct trend *t, uint32_t *group);

/* suspicion.h - the score that was published with LatencyPrism, equal in every
 * digit.
 *
 * For each function, metric and device, the score is |Δβ|·(|Z(β)| + |Z(log
 * μ)|). Z is the difference divided by the standard deviation of the base
 * alone. The p values of Welch's test and of the rank-sum test are reported
 * with it. The rules are those of compare_perf_data.py in LatencyPrism's
 * DeepDive. Faults of the score: a function that the base lacks scores 0; β
 * falls if only the iteration gets longer; with few iterations the threshold
 * means nothing; swapping base and head changes it. verdict.h avoids these
 * faults. This score is kept to be comparable with published results.
 *
 * A row of a table of patterns is used if it names a metric. Its β is used as
 * given; a missing μ is 0. All iterations of a table are used, but only the
 * kept ones of detected iterations. The iterations of several runs on a side
 * are treated as those of one run. If neither side has a metric, each function
 * has one row per iteration, with the metric "N/A" and a μ of 0. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "err.h"

struct suspicion_value {
	double base, head; /* means over the rows, 0 without rows */
	double delta; /* head - base */
	double z; /* delta / standard deviation of the base; 0 if that is 0 */
	/* p of Welch's test, u_p of the rank-sum test. Both are 1 if a side has
	 * at most one iteration. p is NaN if both standard deviations are 0 and
	 * the means are equal. */
	double p, u_p;
};
struct suspicion_row {
	const char *name, *metric, *device;
	double score;
	struct suspicion_value beta, mu; /* β in percent */
	double z_log_mu; /* of ln(1 + μ) */
};

/* The sentences of the report: at most SUSPICION_FINDINGS functions with the
 * highest scores above SUSPICION_NOTABLE, each with at most SUSPICION_RESOURCES
 * metrics that changed with it. */
#define SUSPICION_NOTABLE 10.0
enum { SUSPICION_FINDINGS = 3, SUSPICION_RESOURCES = 3 };
struct suspicion_finding {
	const struct suspicion_row *row; /* its row with the highest score */
	const struct suspicion_row *resources[SUSPICION_RESOURCES];
	uint32_t resources_n;
};

struct suspicion_side {
	const char *name; /* heads the columns: "normal_pid_805580" */
	const char *run; /* the runs' name alone: "normal" */
	int64_t pid; /* -1: unknown, or of several runs */
	/* Durations of all iterations, longest first, and their mean. */
	const double *iterations_us;
	double iteration_us;
	uint32_t iterations_n;
};

struct suspicion {
	/* For a title: the workload of both sides, else their project. */
	const char *subject;
	struct suspicion_side base, head;
	struct suspicion_row *rows; /* score descending, name, metric, device */
	struct suspicion_finding findings[SUSPICION_FINDINGS];
	uint32_t rows_n, findings_n;
	bool metrics; /* some run has a metric; else scores use β alone */
};

/* ERR_INPUT if a side has no iterations, such as a table of statistics. */
bool suspicion_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e);

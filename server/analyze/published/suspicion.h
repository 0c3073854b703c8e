/* suspicion.h - the published score, to the digit.
 *
 * Per (function, metric, device): |Δβ|·(|Z(β)| + |Z(log μ)|) with Z over the base's
 * deviation alone, Welch's p and the rank-sum's, as published with LatencyPrism;
 * definitions.md 2.3 has every rule, 2.4 its faults: verdict.h mends them, this
 * stays comparable with what others computed.
 *
 * A row of a table of patterns counts where it names a metric, with β as told
 * and a μ of 0 where that is missing; every cycle of a table does, only kept
 * ones of cycles that were found. Several runs of a side are taken together,
 * their cycles as those of one. Where neither side has any metric, a function's
 * rows are those of its cycles, with the metric "N/A" and a μ of 0. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "err.h"

struct suspicion_value {
	double base, head; /* means over the rows, 0 without any */
	double delta; /* head - base */
	double z; /* delta by the base's deviation, 0 without any */
	/* Welch's and the rank-sum's, 1 where a side has one cycle or none; p is
	 * NaN where neither side has a deviation nor a difference. */
	double p, u_p;
};
struct suspicion_row {
	const char *name, *metric, *device;
	double score;
	struct suspicion_value beta, mu; /* β in percent */
	double z_log_mu; /* of ln(1 + μ) */
};

/* What the report says in words: functions above SUSPICION_NOTABLE, those of
 * the highest scores, and up to so many metrics that moved with each. */
#define SUSPICION_NOTABLE 10.0
enum { SUSPICION_FINDINGS = 3, SUSPICION_RESOURCES = 3 };
struct suspicion_finding {
	const struct suspicion_row *row; /* its highest */
	const struct suspicion_row *resources[SUSPICION_RESOURCES];
	uint32_t resources_n;
};

struct suspicion_side {
	const char *name; /* heads the columns: "normal_pid_805580" */
	const char *run; /* the runs' name alone: "normal" */
	int64_t pid; /* -1: unknown, or of several runs */
	/* Durations of all cycles, longest first, and their mean. */
	const double *cycles_us;
	double cycle_us;
	uint32_t cycles_n;
};

struct suspicion {
	/* What both sides ran, for a title: their workload, else project. */
	const char *subject;
	struct suspicion_side base, head;
	struct suspicion_row *rows; /* score descending, name, metric, device */
	struct suspicion_finding findings[SUSPICION_FINDINGS];
	uint32_t rows_n, findings_n;
	bool metrics; /* some run has one; else β is all there is */
};

/* ERR_INPUT where a side has no cycles: a table of statistics alone. */
bool suspicion_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e);

/* suspicion_side.c: names, subject and cycles of both sides. */
bool suspicion_sides(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e);
/* Whether a run's cycle counts. */
bool suspicion_counts(const struct compared_run *r, uint32_t cycle);

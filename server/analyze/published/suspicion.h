/* suspicion.h - the published score, to the digit.
 *
 * Per (function, metric, device): |Δβ|·(|Z(β)| + |Z(log μ)|) with Z over the base's
 * deviation alone, Welch's p and the rank-sum's, as published with LatencyPrism.
 * definitions.md 2.3 has every rule and 2.4 its faults. verdict.h avoids these; this
 * score stays comparable with published results.
 *
 * A row of a table of patterns counts if it names a metric, with β as given and a μ
 * of 0 if that is missing. Every iteration of a table counts; of detected
 * iterations only those that are kept. Several runs of a side are joined, and
 * their iterations count as those of one run. If neither side has any metric, a
 * function's rows are those of its iterations, with the metric "N/A" and a μ of
 * 0. */
#pragma once
#include "arena.h"
#include "compared.h"
#include "err.h"

struct suspicion_value {
	double base, head; /* means over the rows, 0 without any */
	double delta; /* head - base */
	double z; /* delta by the base's deviation, 0 without any */
	/* Welch's and the rank-sum's, 1 if a side has one iteration or none; p is
	 * NaN if neither side has a deviation and they do not differ. */
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
	const struct suspicion_row *row; /* its highest */
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
	/* What both sides ran, for a title: their workload, else project. */
	const char *subject;
	struct suspicion_side base, head;
	struct suspicion_row *rows; /* score descending, name, metric, device */
	struct suspicion_finding findings[SUSPICION_FINDINGS];
	uint32_t rows_n, findings_n;
	bool metrics; /* some run has one; if not, scores use β alone */
};

/* ERR_INPUT if a side has no iterations, such as a table of statistics. */
bool suspicion_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e);

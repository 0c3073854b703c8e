/* gate_evaluation.h - evaluates a gate: its request, its data, and its
 * outcome. */
#pragma once
#include "compare_sides.h"
#include "gate.h"
#include "gate_result.h"
#include "run_selection.h"

struct gate_request {
	const char *base,
		*head; /* as run_selection.h reads them; NULL: missing */
	const char *project, *workload; /* of queries; NULL: not given */
	const char *anchor; /* as `base`; NULL: the lowest earlier level */
	const char *unit; /* the label whose value names the commit */
	const char *name; /* "" none */
	const char *range; /* NULL: the iterations that were detected */
	struct gate_policy policy;
};

struct gate_evaluation {
	struct gate_budget budget;
	double alpha; /* the part of the policy's alpha for this gate */
	struct compare_sides sides;
	struct gate_history history;
	struct gate gate;
};

/* The words that the request gives for sides that are queries: `given` of
 * run_selection_sides(). */
const char *gate_evaluation_shared_words(struct arena *a,
	const struct gate_request *q);
/* The anchor is the lowest level of units that were stored at most 90 days before
 * the head, with the labels that all runs of the
 * base share. Of more than 500 units, the newest are used: the change points of
 * 500 take about 20 ms.
 *
 * `request` is a hash of what makes two gates the same one. It numbers the gates
 * of a commit, and the number decides this gate's alpha (regression_gate.h).
 *
 * Reads both sides into the arena and judges them. The database connection is
 * returned before the judgment, which takes time. */
bool gate_evaluation_run(struct service_call *c, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const uint8_t request[32], struct gate_evaluation *out, struct err *e);

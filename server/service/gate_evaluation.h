/* gate_evaluation.h - a gate: its request, what it rests on, and the judgment. */
#pragma once
#include "compare_sides.h"
#include "gate.h"
#include "run_selection.h"

struct gate_question {
	const char *base, *head; /* as selector.h reads them; NULL missing */
	const char *project, *workload; /* of queries; NULL not said */
	const char *name; /* "" none */
	const char *range; /* NULL: the cycles that were found */
	struct gate_policy policy;
};

struct gate_made {
	struct compared_sides sides;
	struct gate gate;
};

/* What a request says of sides that are queries: selector_sides()'s `given`. */
const char *gate_given_words(struct arena *a, const struct gate_question *q);
/* Reads both sides and judges them; the arena's. The database connection is
 * returned before the judging, which takes time. */
bool gate_made(struct service_call *c, const struct gate_question *q,
	const struct selected *base, const struct selected *head,
	struct gate_made *out, struct err *e);

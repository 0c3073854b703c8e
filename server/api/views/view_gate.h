/* view_gate.h - a gate as it is stored, as the API answers it, and as webhooks
 * receive it. */
#pragma once
#include "gate_result.h"
#include "gate_evaluation.h"
#include "view_compare.h"

/* Rules of an answer: all but functions that pass, the first GATE_RULES. */
enum { GATE_RULES = 200 };

/* What the columns of its row do not hold. */
json_t *view_gate_document(struct arena *a, const struct gate_request *q,
	const struct run_selection *base, const struct run_selection *head,
	const struct compare_sides *sides, const struct gate *g);
/* The rules of a gate; range NULL: the detected iterations. */
json_t *view_gate_policy(const struct gate_policy *p, const char *range);
/* The row and its document as one. */
json_t *view_gate(const struct gate_row *row);
/* The event "gate": the gate without its rules and findings, and its page. */
json_t *view_gate_event(const struct gate_row *row);

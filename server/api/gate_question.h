/* gate_question.h - what POST /gates is asked, out of its body. */
#pragma once
#include "gate.h"
#include "handler.h"

struct gate_question {
	const char *base, *head; /* as selector.h reads them; NULL missing */
	const char *project, *workload; /* of queries; NULL not said */
	const char *name; /* "" none */
	const char *range; /* NULL: the cycles that were found */
	struct gate_policy policy;
};

/* The members a body may have, words with bars between; the arena's. */
const char *gate_question_keys(struct arena *a);
/* ERR_INPUT names the member that is wrong. Texts are the arena's; what the body
 * does not say is regression_gate_policy_init()'s. */
bool gate_question_read(struct arena *a, const json_t *body,
	struct gate_question *q, struct err *e);
/* The policy as the answer has it: filled in, in the body's words. */
json_t *gate_question_told(const struct gate_question *q);

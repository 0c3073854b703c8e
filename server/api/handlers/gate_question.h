/* gate_question.h - what POST /gates is asked, out of its body. */
#pragma once
#include "gate_evaluation.h"
#include "call.h"

/* The members a body may have, words with bars between; the arena's. */
const char *gate_question_keys(struct arena *a);
/* ERR_INPUT names the member that is wrong. Texts are the arena's; what the body
 * does not say is regression_gate_policy_init()'s. */
bool gate_question_read(struct arena *a, const json_t *body,
	struct gate_question *q, struct err *e);

/* gate_made.h - from a question and its sides to a gate: what is stored about them,
 * and the judgement. */
#pragma once
#include "view_gate.h"

/* What queries say that do not say it themselves: selector_sides()'s `given`. */
const char *gate_given_words(struct arena *a, const struct gate_question *q);
/* The gate as a row without its id, in the call's arena. The database is given
 * back before the judging, which takes time. */
bool gate_made(struct call *c, const struct gate_question *q,
	const struct selected *base, const struct selected *head,
	struct gate_row *row, struct err *e);

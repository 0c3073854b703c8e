/* dispatch.h - the steps of a call, for those that take them one by one:
 * api_call() takes all at once, an upload opens before its body and answers
 * after it. */
#pragma once
#include "api.h"
#include "call.h"

/* Who asks, for what, with which parameters. False with *e set; call_answer()
 * then makes the answer of the error. call_close() follows in any case. */
bool call_open(struct call *c, struct api *a, const struct api_request *r,
	struct api_answer *out, struct err *e);
/* Runs the handler, unless *e is set already, and makes the answer. */
void call_answer(struct call *c, struct api_answer *out, struct err *e);
/* Counts an answer that call_answer() did not make. */
void call_count(const struct call *c, int status);
void call_close(struct call *c);

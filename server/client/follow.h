/* follow.h - watches an upload at the server until it is done or failed. */
#pragma once
#include "answer.h"
#include "meter.h"
#include "wire.h"

/* *u has the upload's id; afterwards all that is known of it when it was done.
 * False with the server's sentence where it failed there. */
bool follow(struct wire *w, const struct options *o, const char *label,
	struct meter *m, struct upload_answer *u, struct err *e);

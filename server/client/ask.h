/* ask.h - one question whose answer is held whole, tried again where that may
 * help. */
#pragma once
#include "meter.h"
#include "options.h"
#include "wire.h"

struct question {
	const char *url;
	const char *json; /* what is posted; NULL: it is got */
	const char *label; /* what a line about another try begins with */
	size_t most; /* bytes of an answer */
};

/* True where the server answered 200 or 201: *body, which the caller releases,
 * has its bytes. False with its sentence, or one that says why it could not be
 * asked; *a tells which. */
bool ask(struct wire *w, const struct options *o, const struct question *q,
	struct meter *m, struct attempt *a, struct buf *body, struct err *e);

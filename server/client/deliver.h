/* deliver.h - one file travels to the server, however often that takes. */
#pragma once
#include "answer.h"
#include "meter.h"
#include "wire.h"

/* Sends the file `path`; *out is the server's answer, *sent its bytes on the
 * way. False with a sentence when it was refused, cannot be read, or the tries
 * are used up. */
bool deliver(struct wire *w, const struct options *o, const char *path,
	struct meter *m, struct upload_answer *out, struct err *e);

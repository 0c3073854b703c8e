/* deliver.h - one file travels to the server, however often that takes. */
#pragma once
#include "answer.h"
#include "meter.h"
#include "wire.h"

/* Sends the file `path`, with at most `most` tries after the first; *out is the
 * server's answer. False with a sentence when it was refused, cannot be read,
 * or the tries are used up; *last tells how the last try ended. */
/* deliver_feed() sends what was opened already, and takes it. */
bool deliver(struct wire *w, const struct options *o, const char *path,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e);
bool deliver_feed(struct wire *w, const struct options *o, struct feed *f,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e);

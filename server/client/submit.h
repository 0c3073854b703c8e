/* submit.h - one capture goes from a spool folder to the server for good.
 *
 * It travels as it is, and the server answers with the digest of what it
 * stored. Only where that is the file's, and the file has not changed
 * meanwhile, does the server have it. The same bytes sent again are the same
 * upload there, so that a client which is killed anywhere neither loses one
 * nor doubles it. */
#pragma once
#include "capture_told.h"
#include "deliver.h"
#include "spool.h"

struct capture_told hand_over_told(const struct spool *s, const char *name);
/* Whether a capture is whole and holds no record, only what surrounds some: the
 * server takes none such. It is then removed, unless it is to be kept, which
 * `sentence` tells. One that is damaged or cut may have held some: it is not
 * empty. */
bool hand_over_empty(const struct spool *s, const char *name, bool keep,
	char sentence[static 400]);

/* The file is still there afterwards. False with a sentence; *last tells
 * whether the server, or time, may mend it. */
bool hand_over(struct wire *w, const struct options *o, const struct spool *s,
	const char *name, int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e);

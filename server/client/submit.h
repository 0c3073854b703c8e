/* submit.h - sends one file, or one capture of a spool folder, to the server.
 *
 * A capture is sent unchanged, and the server answers with the digest of what
 * it stored. The upload counts as stored only if that is the file's digest
 * and the file has not changed meanwhile. The same bytes sent again are the
 * same upload, so a client that is killed at any point neither loses one nor
 * sends it twice. */
#pragma once
#include "answer.h"
#include "meter.h"
#include "spool.h"
#include "wire.h"

struct capture_facts {
	bool readable; /* it is a capture file */
	bool whole; /* nothing is missing or unread; not determined if it has
		     * records */
	bool records; /* of work or of a counter: without one the server rejects it */
	int rank; /* -1 unknown */
	int64_t dropped; /* lost records; only for a capture without records */
};

/* Sends the file `path`, with at most `most` tries after the first; *out is the
 * server's answer. False with a message if it was rejected, cannot be read or no
 * try is left; *last is the last try. */
bool submit_file(struct wire *w, const struct options *o, const char *path,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e);

/* Waits until the server has analyzed the upload whose id is in *u, and fills *u.
 * False with the server's message if it failed there. */
bool submit_wait(struct wire *w, const struct options *o, const char *label,
	struct meter *m, struct upload_answer *u, struct err *e);

/* What a client must know of a capture before it sends it. */
struct capture_facts submit_facts(const struct spool *s, const char *name);
/* Whether a capture is complete and has no record, so that the server would reject it.
 * Then it is removed, unless `keep`, and `sentence` says so. A damaged or cut
 * capture may have held records and does not count as empty. */
bool submit_skip_empty(const struct spool *s, const char *name, bool keep,
	char sentence[static 400]);

/* Sends one capture, which stays in the folder. False with a message; *last shows
 * whether another try may help. */
bool submit_capture(struct wire *w, const struct options *o,
	const struct spool *s, const char *name, int most, struct meter *m,
	struct upload_answer *out, struct attempt *last, struct err *e);

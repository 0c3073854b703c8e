/* submit.h - sends one file, or one capture of a spool folder, to the server.
 *
 * A capture is sent unchanged, and the server answers with the digest of the
 * bytes that it stored. The upload counts as stored only if this is the digest
 * of the file and the file has not changed meanwhile. If a client sends the
 * same bytes again, the server keeps one upload. So a client that is killed at
 * any moment neither loses a capture nor stores it twice. */
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
 * server's answer. A report of Nsight Systems is converted first, if nsys is
 * found (nsys_report.h). Returns false with a message if the upload was
 * rejected, the file cannot be read or no try is left; *last describes the last
 * try. */
bool submit_file(struct wire *w, const struct options *o, const char *path,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e);

/* Waits until the server has analyzed the upload whose id is in *u, and fills
 * *u. Returns false with the server's message if the analysis failed. */
bool submit_wait(struct wire *w, const struct options *o, const char *label,
	struct meter *m, struct upload_answer *u, struct err *e);

/* The facts about a capture that a client needs before it sends the capture. */
struct capture_facts submit_facts(const struct spool *s, const char *name);
/* Whether a capture is complete and has no records. The server would reject
 * such a capture, so this function removes it, unless `keep` is set, and
 * describes this in `sentence`. A damaged or incomplete capture does not count
 * as empty, because it may have contained records. */
bool submit_skip_empty(const struct spool *s, const char *name, bool keep,
	char sentence[static 400]);

/* Sends one capture and leaves it in the folder. Returns false with a message;
 * *last shows whether another try may succeed. */
bool submit_capture(struct wire *w, const struct options *o,
	const struct spool *s, const char *name, int most, struct meter *m,
	struct upload_answer *out, struct attempt *last, struct err *e);

/* Fills `out` from the server's answer. */
typedef bool submit_read(const char *body, size_t len, void *out,
	struct err *e);
/* Sends a file that belongs to a stored run to `url`, with tries as the options
 * say. */
bool submit_attached(struct wire *w, const struct options *o, struct meter *m,
	struct feed *f, const char *url, submit_read *read, void *out,
	struct err *e);
/* Attaches each of the files in o->measures to the run, and prints a line for each. A
 * failure is printed, too, and does not prevent the next one; *e is the first. */
bool submit_measures(struct wire *w, const struct options *o, struct meter *m,
	int64_t run, struct err *e);

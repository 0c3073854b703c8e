/* reader.h - reads one thing at a time from a window over the text.
 *
 * A thing (an event, a key, a value) is read by a function of the caller's
 * that works on text in memory; where the text in the window breaks off inside
 * it, more is pulled in and the function is called again from the start. */
#pragma once
#include "window.h"

enum reading {
	READ,
	READ_BROKEN, /* not JSON; the window's `at` is where it begins */
	READ_CUT, /* the text ends inside it */
	READ_LONG, /* longer than a window can be */
	READ_ERR, /* *e was set */
};

struct reader {
	struct window *window;
	bool quoted; /* the last thing held an unescaped quote */
	size_t got; /* bytes of the last one that could be read */
	int64_t again; /* bytes read more than once */
};

typedef const char *reader_fn(void *ctx, struct scan *s, const char *p);

/* Reads the thing at `at`, which then is behind it if it was read. */
enum reading reader_read(struct reader *r, reader_fn *read, void *ctx,
	bool lenient, struct err *e);

/* The first byte that is not white space, where `at` then is; 0 at the end of
 * the text. */
bool reader_token(struct reader *r, char *c, struct err *e);

/* Bytes of the text up to `at`. */
int64_t reader_offset(const struct reader *r);

/* Whether so little was read twice that more may be: at most about twice the
 * text, so that nobody can make it costly. */
bool reader_patient(const struct reader *r);

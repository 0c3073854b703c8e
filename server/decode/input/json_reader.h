/* json_reader.h - reads JSON of any length from a window, one thing at a time,
 * and lists of objects, whatever their state.
 *
 * A thing (an event, a key, a value) is read by a function of the caller that
 * works on text in memory. If the text in the window ends inside the thing,
 * more is read and the function is called again from the start. */
#pragma once
#include "byte_window.h"
#include "trace.h"
#include "word_table.h"

enum json_reading {
	READ,
	READ_BROKEN, /* not JSON; the window's `at` is where it begins */
	READ_CUT, /* the text ends inside it */
	READ_LONG, /* longer than a window can be */
	READ_ERR, /* *e was set */
};

struct json_reader {
	struct byte_window *window;
	bool quoted; /* the last thing held an unescaped quote */
	size_t got; /* bytes of the last one that could be read */
	int64_t again; /* bytes read more than once */
	struct text_span name; /* of the list's current object; `at` is
				  NULL until it is read */
	bool cut; /* the text ended inside something */
};

typedef const char *json_reader_fn(void *ctx, struct scan *s, const char *p);

/* Reads the thing at `at`, which is then behind it if it was read. */
enum json_reading json_reader_read(struct json_reader *r, json_reader_fn *read,
	void *ctx, bool lenient, struct err *e);

/* The first byte that is not white space, where `at` then is; 0 at the end of
 * the text. */
bool json_reader_token(struct json_reader *r, char *c, struct err *e);

/* Bytes of the text up to `at`. */
int64_t json_reader_offset(const struct json_reader *r);

/* Whether more may be read twice: at most about twice the text is, so that no
 * text is costly. */
bool json_reader_patient(const struct json_reader *r);

/* ---- the way back into a list of objects behind a broken one
 *
 * Which quotes open and which close is unknown by then. The search looks for
 * a comma and an object whose first key is one of an item, or for the end of
 * the list, recognized by a key that surrounds it or by the end of the file. */

/* The keys by their ids: an item's first key is one of [from, to]; keys of what
 * surrounds the list are `around` and above. */
struct json_resync_keys {
	const struct word_table *words;
	uint32_t from, to, around;
};

enum json_resync {
	RESYNC_ITEM, /* `at` is at an item's bracket */
	RESYNC_LIST_END, /* `at` is at the bracket that closes the list */
	RESYNC_NONE, /* `at` is at the end of the text */
	RESYNC_ERR, /* *e was set */
};

/* Searches from w->at on. */
enum json_resync json_reader_resync(struct byte_window *w,
	const struct json_resync_keys *keys, struct err *e);

/* ---- lists
 *
 * An object that cannot be read is read again with unescaped quotes allowed,
 * then counted and skipped; one that is too long is skipped. */

/* What a list holds. All three functions are called with the caller's `ctx`. */
struct json_list_kind {
	struct json_resync_keys keys;
	json_reader_fn *read; /* reads one; may set the reader's `name` */
	bool (*use)(void *ctx, struct err *e); /* the one that was read */
	/* One that could not be read; a note shows these bytes of it. */
	void (*bad)(void *ctx, const char *what, size_t len);
};

/* Reads from inside the list to behind the bracket that closes it, or to the
 * end of the text. */
bool json_reader_list(struct json_reader *r, const struct json_list_kind *kind,
	void *ctx, struct err *e);

/* ---- the end of the text: complete, cut off, or garbage */

/* Reads what is behind the last bracket, to the very end, so that a gzip cut
 * short is noticed; what is no white space is noted. */
bool json_reader_end(struct json_reader *r, struct trace *t, struct err *e);

/* Notes that the text was cut, unless a note about the compression says so. */
void json_reader_note_cut(const struct json_reader *r, struct trace *t);

/* Whether that is why none of its `records` could be used; *e says so. */
bool json_reader_end_explains(const struct json_reader *r, int64_t records,
	const char *what, struct err *e);

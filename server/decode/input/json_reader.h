/* json_reader.h - reads JSON of any length from a window, one item at a time,
 * and reads lists of objects even if they are damaged.
 *
 * An item (an event, a key, a value) is read by a function of the caller that
 * works on text in memory. If the text in the window ends inside the item, the
 * reader reads more text and calls the function again from the start of the
 * item. */
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
	bool quoted; /* the last item contained an unescaped quote */
	size_t got; /* number of bytes of the last item that could be read */
	int64_t again; /* bytes read more than once */
	struct text_span name; /* of the list's current object; `at` is
				  NULL until it is read */
	bool cut; /* the text ended inside something */
};

typedef const char *json_reader_fn(void *ctx, struct scan *s, const char *p);

/* Reads the item at `at`. If this succeeds, `at` is then behind the item. */
enum json_reading json_reader_read(struct json_reader *r, json_reader_fn *read,
	void *ctx, bool lenient, struct err *e);

/* Moves `at` to the first byte that is not white space and returns that byte in
 * *c; 0 at the end of the text. */
bool json_reader_token(struct json_reader *r, char *c, struct err *e);

/* Number of bytes of the text before `at`. */
int64_t json_reader_offset(const struct json_reader *r);

/* Whether more bytes may be read a second time: at most about twice the length
 * of the text, so that no text takes too long. */
bool json_reader_patient(const struct json_reader *r);

/* ---- how reading continues in a list of objects after a broken object
 *
 * It is then unknown which quotes open a string and which close one.
 * The search looks for a comma followed by an object whose first key is a known
 * key of an item. It also looks for the end of the list, recognized by a key
 * that is used around the list or by the end of the file. */

/* The ids of keys: the first key of an item is in [from, to]; keys that are
 * used around the list are `around` or higher. */
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
 * An object that cannot be read is read again with unescaped quotes allowed. If
 * that fails too, it is counted and skipped. An object that is too long is
 * skipped. */

/* How the objects of a list are read. All three functions are called with the
 * caller's `ctx`. */
struct json_list_kind {
	struct json_resync_keys keys;
	/* reads one object; may set the reader's `name` */
	json_reader_fn *read;
	/* uses the object that was read */
	bool (*use)(void *ctx, struct err *e);
	/* Called for an object that could not be read; a note shows these bytes
	 * of it. */
	void (*bad)(void *ctx, const char *what, size_t len);
};

/* Reads from inside the list to the byte after its closing bracket, or to the
 * end of the text. */
bool json_reader_list(struct json_reader *r, const struct json_list_kind *kind,
	void *ctx, struct err *e);

/* ---- the end of the text: complete, cut off, or followed by garbage */

/* Reads the bytes behind the last bracket to the end of the file, so that a
 * truncated gzip is noticed. Bytes that are not white space are noted. */
bool json_reader_end(struct json_reader *r, struct trace *t, struct err *e);

/* Notes that the text was cut off, unless a note about the compression already
 * reports it. */
void json_reader_note_cut(const struct json_reader *r, struct trace *t);

/* Whether the end of the data explains why none of the `records` could be used.
 * If so, *e has the sentence. */
bool json_reader_end_explains(const struct json_reader *r, int64_t records,
	const char *what, struct err *e);

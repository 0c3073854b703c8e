/* items.h - reads a list of objects one by one, whatever state it is in.
 *
 * Around one format's idea of an object (struct items_kind), this does what
 * every list in a damaged file needs: an object that cannot be read is tried
 * again with patience for unescaped quotes, then counted and passed over; what
 * is too long is skipped; where the text ends is told. */
#pragma once
#include "reader.h"
#include "resync.h"

struct items {
	struct reader reader;
	struct span name; /* what the object being read is called, once known */
	bool cut; /* the text ended inside something */
};

/* What a list holds. All three are called with the caller's `ctx`. */
struct items_kind {
	struct resync_keys keys;
	reader_fn *read; /* reads one; may set items.name */
	bool (*use)(void *ctx, struct err *e); /* the one that was read */
	/* One that could not be read; these bytes are to be shown of it. */
	void (*bad)(void *ctx, const char *what, size_t len);
};

/* Reads from inside the list to behind the bracket that closes it, or to the
 * end of the text. */
bool items_read(struct items *is, const struct items_kind *kind, void *ctx,
	struct err *e);

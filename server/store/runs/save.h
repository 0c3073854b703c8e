/* save.h - profiles become rows: the moment a run becomes visible.
 *
 * Names are interned first, in a short transaction of their own: look up, then
 * insert what is missing in sorted order, so that ingests that meet the same
 * new names neither deadlock nor make them twice. Then one transaction, by
 * COPY BINARY: identities (made once per upload and ordinal, and found again
 * by a rebuild), derived rows, and last the upload's state, *where the token
 * is still mine*; else all of it is rolled back with ERR_CONFLICT. Rows of an
 * earlier ingest of the same upload are replaced in the same transaction;
 * deleted runs stay deleted. */
#pragma once
#include "profile.h"
#include "upload.h"
#include <stddef.h>

/* Where the captures of the runs come from. write() tells the bytes of one
 * run's .kst to `put`, in pieces of any size; they are stored in rows of at
 * most 1 MiB, so that none is ever held whole. It runs inside the saving
 * transaction, once per run that lives, and may be asked again where that had
 * to be done over. */
typedef bool capture_put_fn(void *to, const void *bytes, size_t len,
	struct err *e);
struct captures {
	bool (*write)(void *ctx, uint32_t run, capture_put_fn *put, void *to,
		struct err *e);
	void *ctx;
};

/* `captures` may be NULL: none are stored. */
bool save(struct db *db, const struct claim *c, const struct profile *runs,
	uint32_t n, const struct captures *captures, struct err *e);

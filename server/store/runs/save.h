/* save.h - profiles become rows, and runs become visible.
 *
 * Names are interned first (intern.h). Then one transaction writes, by COPY
 * BINARY: identities (made once per upload and ordinal, and found again when
 * the upload is computed again), derived rows, and last the upload's state. If
 * the lease was lost, all of it is rolled back with ERR_CONFLICT. Rows of an
 * earlier ingest of the same upload are replaced in the same transaction;
 * deleted runs stay deleted. */
#pragma once
#include "profile.h"
#include "upload.h"
#include <stddef.h>

/* Where the capture files of the runs come from. write() passes the bytes of
 * one run's .kst to `put`, in pieces of any size; they are stored in rows of at
 * most 1 MiB, so that no file is in memory whole. It runs inside the saving
 * transaction, once per run that is not deleted, and again if the transaction
 * does. */
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

/* save.h - stores profiles as rows and makes their runs visible.
 *
 * Names are interned first (intern.h). Then one transaction writes, by COPY
 * BINARY, the identities, the derived rows, and last the upload's state. An
 * identity is created once per upload and ordinal, and used again when the
 * upload is ingested again. If the lease was lost, the transaction is rolled
 * back with ERR_CONFLICT. Rows of an earlier ingest of the upload are replaced
 * in this transaction; deleted runs stay deleted. */
#pragma once
#include "profile.h"
#include "upload.h"
#include <stddef.h>

/* Writes the capture files of the runs. write() passes the bytes of one run's
 * .kst to `put`, in pieces of any size. They are stored in rows of at most 1
 * MiB, so that no file is completely in memory. write() is called inside the
 * saving transaction, once per run that is not deleted, and again if the
 * transaction runs again. */
typedef bool capture_put_fn(void *to, const void *bytes, size_t len,
	struct err *e);
struct captures {
	bool (*write)(void *ctx, uint32_t run, capture_put_fn *put, void *to,
		struct err *e);
	void *ctx;
};

/* `captures` may be NULL: no capture files are stored. */
bool save(struct db *db, const struct claim *c, const struct profile *runs,
	uint32_t n, const struct captures *captures, struct err *e);

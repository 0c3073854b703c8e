/* ingest.h - ingests one upload: decodes, analyzes and saves it.
 *
 * decode → profile_from → save, which includes the captures. The lease is
 * renewed during all steps. One arena holds all memory; its ceiling is an
 * error of the upload, not of the process. */
#pragma once
#include "catalog.h"
#include "decode.h"
#include "upload.h"
#include <signal.h>

struct ingest_limits {
	struct decode_limits decode;
	size_t arena_bytes;
	/* Once it is not 0, what is not yet being saved is given up with
	 * ERR_BUSY. NULL: never. */
	const volatile sig_atomic_t *stop;
};

/* True when the upload is done, or has failed by its own fault with a
 * sentence. False if the cause is elsewhere (database unavailable, lease
 * lost) and the upload should be tried again. *saving reports whether its
 * rows were already being written. */
bool ingest(struct db *db, const struct claim *c, const struct catalog *f,
	const struct ingest_limits *limits, bool *saving, struct err *e);

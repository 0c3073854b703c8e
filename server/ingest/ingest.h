/* ingest.h - ingests one upload: decodes, analyzes and saves it.
 *
 * The steps are decode → profile_from → save; save also stores the capture
 * files. The lease is renewed during all steps. All memory is in one arena.
 * Reaching its limit fails the upload, not the process. */
#pragma once
#include "catalog.h"
#include "decode.h"
#include "upload.h"
#include <signal.h>

struct object_store;

struct ingest_limits {
	struct decode_limits decode;
	size_t arena_bytes;
	/* Once *stop is not 0, an upload that is not yet being saved is given
	 * up with ERR_BUSY. NULL: never. */
	const volatile sig_atomic_t *stop;
};

/* True if the upload is done, or if it failed by its own fault, with a
 * sentence. False if the cause is elsewhere (database unavailable, lease lost)
 * and the upload should be tried again. `objects`: where bytes are that were moved out
 * of the database; NULL: there are none. *saving: whether its rows were already
 * being written. */
bool ingest(struct db *db, const struct claim *c, const struct catalog *f,
	struct object_store *objects, const struct ingest_limits *limits,
	bool *saving, struct err *e);

/* bytes_mover.h - moves the bytes of uploads to object storage or back.
 *
 * What is moved is read back and compared with the sha256 that the sender's bytes had,
 * before the other copy is deleted. */
#pragma once
#include "db.h"
#include "object_store.h"

/* The word instead of a place that moves all bytes back to the database. */
#define BYTES_MOVER_DATABASE "database"

/* Checks `to`: "", "database" or the place of object_place_check(). */
bool bytes_mover_check(const char *to, struct err *e);

struct bytes_mover_report {
	int64_t moved, bytes; /* uploads and their bytes */
	int64_t deleted; /* objects */
	int64_t left; /* uploads and objects that failed */
	struct err why; /* the first failure */
	bool more; /* the time ended before the work */
	bool unavailable; /* the storage does not work, or rejects the credentials */
};
/* Moves bytes from the database to `to`, or with "database" all bytes back, and deletes
 * the objects there that nothing needs any more ("database": all such objects). "" does
 * nothing at all. Bytes that are in another place of object storage stay there.
 *
 * No upload is begun after `until_ms` (clock.h). `go_on` is called at least once per
 * second; if it returns false, the work is given up and done by a later call. A failure
 * does not stop the work on other uploads, unless the storage is unavailable. False if
 * the database fails. */
bool bytes_mover_run(struct db *db, struct object_store *store, const char *to,
	int64_t until_ms, bool (*go_on)(void *ctx), void *ctx,
	struct bytes_mover_report *report, struct err *e);

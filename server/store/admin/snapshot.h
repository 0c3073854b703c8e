/* snapshot.h - a snapshot of the whole database for a program that copies it;
 * and a database that such a copy is restored into. */
#pragma once
#include "db.h"
#include "sha256.h"

struct snapshot {
	const char *id; /* for pg_dump --snapshot */
	int major; /* PostgreSQL's major version */
	int schema; /* number of the last migration */
	/* hash over the hashes of the migrations, in order */
	char migrations[SHA256_HEX];
	int64_t uploads, chunks, runs, kernels, tokens; /* numbers of rows */
};

/* Holds a snapshot as long as the connection lasts; texts are in the arena.
 * ERR_INPUT if the database is not kernsift's. */
bool snapshot_hold(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e);
/* Reads the same figures without holding a snapshot. */
bool snapshot_now(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e);
/* Fails unless the hash of this program's first `schema` migrations is
 * `migrations`. */
bool snapshot_known(int64_t schema, const char *migrations, struct err *e);

/* Fails unless the database is empty and its PostgreSQL has this major version
 * or a newer one. Other migrations wait as long as the connection lasts. */
bool restore_begin(struct db *db, int64_t major, struct err *e);
/* Call this after the rows are restored and the schema is migrated. Queues
 * uploads again that were being worked on, and expires uploads that were being
 * received. `raw` false: marks the uploads whose bytes the backup does not
 * contain. */
bool restore_settle(struct db *db, bool raw, struct err *e);

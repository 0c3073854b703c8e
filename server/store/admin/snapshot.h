/* snapshot.h - the whole database as of one moment, for a program that copies
 * it; and a database that such a copy is restored into. */
#pragma once
#include "db.h"
#include "sha256.h"

struct snapshot {
	const char *id; /* for pg_dump --snapshot */
	int major; /* of the server */
	int schema; /* the last migration */
	char migrations[SHA256_HEX]; /* over their hashes, in order */
	int64_t uploads, chunks, runs, kernels, tokens; /* rows */
};

/* Holds it as long as the connection lasts; texts are in the arena. ERR_INPUT
 * if the database is not kernsift's. */
bool snapshot_hold(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e);
/* The same figures now, without holding a snapshot. */
bool snapshot_now(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e);
/* Fails unless this program's first `schema` migrations have this hash. */
bool snapshot_known(int64_t schema, const char *migrations, struct err *e);

/* Fails unless the database is empty and of that major version or newer. Other
 * migrations wait as long as the connection lasts. */
bool restore_begin(struct db *db, int64_t major, struct err *e);
/* After the rows are restored and the schema is this program's: ends what was
 * in progress, and marks uploads whose bytes were left out (`raw` false). */
bool restore_settle(struct db *db, bool raw, struct err *e);

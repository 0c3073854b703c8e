/* snapshot.h - the whole database as of one moment, for a program that copies it,
 * and what one must be to take such a copy. */
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

/* Holds it as long as the connection lasts; texts are the arena's. ERR_INPUT
 * where the database is not kernsift's. */
bool snapshot_hold(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e);
/* The same figures as they are now, without holding anything. */
bool snapshot_now(struct db *db, struct snapshot *s, struct arena *a,
	struct err *e);
/* Whether this program's first `schema` migrations are those of the hash. */
bool snapshot_known(int64_t schema, const char *migrations, struct err *e);

/* How another program reaches the same database: variables for its
 * environment, ended by NULL, with the password; and its name as a connection
 * string. */
const char *const *db_environment(struct db *db, struct arena *a);
const char *db_name(struct db *db, struct arena *a);

/* The database is empty and of that major version or newer, and nobody else
 * migrates it as long as the connection lasts. */
bool restore_begin(struct db *db, int64_t major, struct err *e);
/* After its rows are in and the schema is this program's: what was under way
 * is no more, and uploads say where their bytes were left out. */
bool restore_settle(struct db *db, bool raw, struct err *e);

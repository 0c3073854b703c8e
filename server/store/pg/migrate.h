/* migrate.h - brings the schema up to date.
 *
 * The program contains the files sql/migrations/NNNN_what.sql. migrate()
 * applies the new ones in order, each in its own transaction, all under one
 * advisory lock, and records their number, name and sha256. It fails with a
 * sentence if the hash of an applied file has changed, if a number is missing,
 * or if the database is newer than the program. It creates the views of
 * sql/views again each time. */
#pragma once
#include "db.h"
#include "sha256.h"

/* Makes every other migration wait as long as the connection lasts. */
bool migrate_lock(struct db *db, struct err *e);

/* *applied: how many migrations were new. */
bool migrate(struct db *db, int *applied, struct err *e);
/* As migrate(), with other files than the program's own. */
struct embedded;
bool migrate_files(struct db *db, const struct embedded *files, int *applied,
	struct err *e);

/* Returns how many migrations the program has; `hex`: the sha256 over the
 * hashes of the first `n`. */
int migrate_digest(int64_t n, char hex[SHA256_HEX]);

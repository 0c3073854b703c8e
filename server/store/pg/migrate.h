/* migrate.h - brings the schema up to date.
 *
 * Applies the new ones of sql/migrations/NNNN_what.sql, which the program
 * carries, in order, each in its own transaction, all under one advisory lock,
 * and records number, name and sha256. Fails with a sentence if an applied file
 * has another hash now, if a number is missing, or if the database is newer
 * than the program. The views of sql/views are made again each time. */
#pragma once
#include "db.h"
#include "sha256.h"

/* Makes every other migration wait as long as the connection lasts. */
bool migrate_lock(struct db *db, struct err *e);

/* *applied: how many were new. */
bool migrate(struct db *db, int *applied, struct err *e);
/* The same with other files than the program's own. */
struct embedded;
bool migrate_files(struct db *db, const struct embedded *files, int *applied,
	struct err *e);

/* Returns how many migrations the program has; `hex`: the sha256 over the
 * hashes of the first `n`. */
int migrate_digest(int64_t n, char hex[SHA256_HEX]);

/* migrate.h - the schema, brought up to date.
 *
 * Applies what is new of sql/migrations/NNNN_what.sql, carried in the program,
 * in order, each in a transaction of its own, all under one advisory lock, and
 * records number, name and sha256. An applied file whose hash has changed, a
 * gap, or a database newer than the program is refused with a sentence.
 * The views of sql/views are made anew each time. */
#pragma once
#include "db.h"

/* Keeps every other migration waiting as long as the connection lasts. */
bool migrate_lock(struct db *db, struct err *e);

/* *applied: how many were new. */
bool migrate(struct db *db, int *applied, struct err *e);
/* The same with other files than the program's own. */
struct embedded;
bool migrate_files(struct db *db, const struct embedded *files, int *applied,
	struct err *e);

/* Queues every upload whose bytes are there again, so that its derived rows
 * are made anew; runs stay visible until their replacement is saved. */
bool rebuild(struct db *db, int64_t *queued, struct err *e);
/* How many uploads with runs stay as they are, their bytes having been dropped. */
bool rebuild_without(struct db *db, int64_t *uploads, struct err *e);

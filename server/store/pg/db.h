/* db.h - PostgreSQL: connections, parameters, transactions.
 *
 * The only room that speaks SQL. `struct db` is one connection, owned by one
 * thread at a time; `struct db_pool` lends them. Every statement has
 * parameters, never text put together. A connection that broke is replaced on
 * the next borrow, so a restarted PostgreSQL costs the requests in between and
 * nothing else.
 *
 * Errors: ERR_DATABASE where it cannot be reached, or with PostgreSQL's primary
 * message; ERR_SLOW where a statement took longer than it may; ERR_DISK_FULL where its disk is; ERR_CONFLICT for a serialisation
 * failure or a deadlock, after several tries; ERR_INPUT for text it cannot hold
 * and ERR_INTERNAL for a row that breaks a rule of the schema, neither of which
 * trying again would heal. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdint.h>

struct db;
struct db_pool;

/* At most `size` connections, made when first needed. The pool's lock
 * protects its list of idle connections; nothing else is taken under it. */
struct db_pool *db_pool_new(const char *conninfo, int size);
/* What a statement may take on connections that are made from now on: 30 s
 * unless told, 0 without end. Waiting for a lock counts. */
void db_pool_limit(struct db_pool *p, int statement_s);
/* Since it was made: how often somebody waited for a connection, how long in
 * all, and how often in vain. */
struct db_pool_waits {
	int64_t waited, waited_us, refused;
};
struct db_pool_waits db_pool_waits(struct db_pool *p);
void db_pool_free(struct db_pool *p);

/* Waits at most 5 s for a free connection: ERR_BUSY past that. The caller
 * gives it back with db_return(), whatever happened on it. */
struct db *db_borrow(struct db_pool *p, struct err *e);
void db_return(struct db_pool *p, struct db *db);

/* A connection of one's own, for a process that needs just one. */
struct db *db_new(const char *conninfo, struct err *e);
void db_free(struct db *db);
/* Connects again where the connection is gone. */
bool db_revive(struct db *db, struct err *e);

/* Whether a statement works right now. */
bool db_ping(struct db *db, struct err *e);

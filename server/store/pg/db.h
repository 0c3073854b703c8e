/* db.h - connections to PostgreSQL, and the pool that lends them.
 *
 * A `struct db` is one connection, owned by one thread at a time. A connection
 * that broke is replaced when it is borrowed again: a restarted PostgreSQL costs
 * the requests in between and nothing else.
 *
 * Error codes of the whole room:
 *   ERR_DATABASE   PostgreSQL is not reachable, or it refused with a message
 *   ERR_SLOW       a statement took longer than the limit
 *   ERR_DISK_FULL  the disk of PostgreSQL is full
 *   ERR_CONFLICT   a serialization failure or deadlock, after several tries
 *   ERR_INPUT      text that PostgreSQL cannot store
 *   ERR_INTERNAL   a row that breaks a constraint; another try would not help */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdint.h>

/* A moment is in microseconds since 1970 UTC; this value is none. */
#define NO_MOMENT INT64_MIN

struct db;
struct db_pool;

/* At most `size` connections, made when first needed. The pool's lock
 * protects its list of idle connections; no other lock is taken under it. */
struct db_pool *db_pool_new(const char *conninfo, int size);
/* The time limit of a statement on connections made from now on: by default
 * 30 s, 0 for none. Waiting for a lock counts. */
void db_pool_limit(struct db_pool *p, int statement_s);
/* Since the pool was made: how many borrowers waited, how long in total, and
 * how many got no connection. */
struct db_pool_waits {
	int64_t waited, waited_us, refused;
};
struct db_pool_waits db_pool_waits(struct db_pool *p);
void db_pool_free(struct db_pool *p);

/* Waits at most 5 s for a free connection, then fails with ERR_BUSY. The caller
 * gives it back with db_return(), whatever happened on it. */
struct db *db_borrow(struct db_pool *p, struct err *e);
void db_return(struct db_pool *p, struct db *db);

/* Whether a connection string can be read; nothing is connected. */
bool db_conninfo_check(const char *conninfo, struct err *e);
/* A connection of its own, for a process that needs just one. */
struct db *db_new(const char *conninfo, struct err *e);
void db_free(struct db *db);
/* Whether the connection still has another end, without a round trip: a
 * PostgreSQL that died has closed the socket. */
bool db_alive(struct db *db);
/* Connects again if the connection is broken. */
bool db_revive(struct db *db, struct err *e);
/* Whether a statement works right now. */
bool db_ping(struct db *db, struct err *e);

/* Becomes readable when PostgreSQL notifies a channel that the connection
 * listens on. */
int db_socket(struct db *db);
/* *any: whether a notification came since the last call. */
bool db_notified(struct db *db, bool *any, struct err *e);

/* How another program reaches the same database: variables for its
 * environment, ended by NULL, with the password; and the database's name as a
 * connection string. */
const char *const *db_environment(struct db *db, struct arena *a);
const char *db_name(struct db *db, struct arena *a);

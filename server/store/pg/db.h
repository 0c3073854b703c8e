/* db.h - connections to PostgreSQL, and the pool that lends them.
 *
 * A `struct db` is one connection, owned by one thread at a time. A broken
 * connection is replaced when it is borrowed again. If PostgreSQL restarts,
 * only the requests at that moment fail.
 *
 * Error codes of all files in this folder:
 *   ERR_DATABASE   PostgreSQL is not reachable, or it refused with a message
 *   ERR_SLOW       a statement took longer than the limit
 *   ERR_DISK_FULL  the disk of PostgreSQL is full
 *   ERR_CONFLICT   a serialization failure or deadlock, after several tries
 *   ERR_INPUT      text that PostgreSQL cannot store
 *   ERR_INTERNAL   a row that breaks a constraint; another try would not help
 *
 * The sentences of ERR_DATABASE and ERR_INTERNAL contain PostgreSQL's own words:
 * they are for the log and the commands of kernsiftd. Answers and failed uploads
 * replace them (err_public()). The other sentences are for everyone. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdint.h>

/* A time in microseconds since 1970 UTC; this value means no time. */
#define NO_MOMENT INT64_MIN

/* A list counts its rows up to this number, so that its time does not grow with
 * the fleet; a count of one more means that there are more. */
#define DB_COUNTED_MAX 10000

struct db;
struct db_pool;

/* Creates a pool of at most `size` connections, which are opened when they are
 * first needed. The pool's lock protects its list of idle connections; no other
 * lock is taken under it. */
struct db_pool *db_pool_new(const char *conninfo, int size);
/* Sets the time limit of statements for connections opened from now on: by
 * default 30 s, 0 for none. The time limit includes waiting for locks. */
void db_pool_limit(struct db_pool *p, int statement_s);
/* Counts since the pool was created: borrowers that waited, their total wait,
 * and borrowers that got no connection. */
struct db_pool_waits {
	int64_t waited, waited_us, refused;
};
struct db_pool_waits db_pool_waits(struct db_pool *p);
void db_pool_free(struct db_pool *p);

/* Waits at most 5 s for a free connection, then fails with ERR_BUSY. The caller
 * returns the connection with db_return(), also if it failed. */
struct db *db_borrow(struct db_pool *p, struct err *e);
void db_return(struct db_pool *p, struct db *db);

/* Whether a connection string is valid; does not connect. */
bool db_conninfo_check(const char *conninfo, struct err *e);
/* Opens a connection outside a pool, for a process that needs only one. */
struct db *db_new(const char *conninfo, struct err *e);
void db_free(struct db *db);
/* Whether PostgreSQL still has its end of the connection open, without a round
 * trip: a PostgreSQL that died has closed the socket. */
bool db_alive(struct db *db);
/* Connects again if the connection is broken. */
bool db_revive(struct db *db, struct err *e);
/* Whether PostgreSQL executes a statement right now. */
bool db_ping(struct db *db, struct err *e);

/* The connection's socket. It becomes readable when PostgreSQL notifies a
 * channel that the connection listens on. */
int db_socket(struct db *db);
/* *any: whether a notification arrived since the last call. */
bool db_notified(struct db *db, bool *any, struct err *e);

/* How another program connects to the same database: a NULL-terminated list of
 * environment variables, with the password; and a connection string with the
 * database's name. */
const char *const *db_environment(struct db *db, struct arena *a);
const char *db_name(struct db *db, struct arena *a);

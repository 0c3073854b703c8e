/* db_conn.h - what a `struct db` is, for the files of this room that talk to
 * libpq themselves: db.c, sql.c, bulk.c. */
#pragma once
#include "db.h"
#include <libpq-fe.h>

enum { PREPARED_MAX = 64, SQLSTATE_LEN = 5 };

struct db {
	PGconn *pg; /* NULL: not connected */
	char *conninfo;
	int statement_s; /* what a statement may take; 0: without end */
	char sqlstate[SQLSTATE_LEN + 1]; /* of the last failure; "" lost */
	const char *prepared[PREPARED_MAX]; /* on this connection, by text */
	int prepared_n;
	struct db *next; /* in the pool's list of idle ones */
};

/* As db_new(), with a limit of its own. */
struct db *conn_new(const char *conninfo, int statement_s, struct err *e);
/* Whether the connection has an end on the other side, without asking it: a
 * PostgreSQL that died has closed the socket. */
bool conn_alive(struct db *db);
/* The session's time limits, as they are from the start. */
bool conn_limits(struct db *db, struct err *e);
/* Fails with what libpq or PostgreSQL says: res may be NULL. Always false. */
bool conn_err(struct db *db, const PGresult *res, struct err *e);

/* db_conn.h - what a `struct db` is, for the files of this room that call
 * libpq. */
#pragma once
#include "db.h"
#include <libpq-fe.h>

enum { PREPARED_MAX = 64, SQLSTATE_LEN = 5 };

struct db {
	PGconn *pg; /* NULL: not connected */
	char *conninfo;
	int statement_s; /* time limit of a statement; 0: none */
	char sqlstate[SQLSTATE_LEN + 1]; /* of the last failure; "" lost */
	const char *prepared[PREPARED_MAX]; /* on this connection, by text */
	int prepared_n;
	struct db *next; /* in the pool's list of idle ones */
};

/* Sets the session's time limits to what they are at the start. */
bool db_limits(struct db *db, struct err *e);
/* Fails with what libpq or PostgreSQL says; res may be NULL. Always false. */
bool db_fail(struct db *db, const PGresult *res, struct err *e);

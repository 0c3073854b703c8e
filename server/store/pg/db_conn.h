/* db_conn.h - the definition of `struct db`, for the files of this folder that
 * call libpq. */
#pragma once
#include "db.h"
#include <libpq-fe.h>

enum { PREPARED_MAX = 64, SQLSTATE_LEN = 5 };

struct db {
	PGconn *pg; /* NULL: not connected */
	char *conninfo;
	int statement_s; /* time limit of a statement; 0: none */
	/* SQLSTATE of the last failure; "": connection lost */
	char sqlstate[SQLSTATE_LEN + 1];
	/* statements prepared on this connection, by text */
	const char *prepared[PREPARED_MAX];
	int prepared_n;
	struct db *next; /* next in the pool's list of idle connections */
};

/* Sets the session's time limits to their initial values. */
bool db_limits(struct db *db, struct err *e);
/* Fails with the message of libpq or PostgreSQL; res may be NULL. Always
 * returns false. */
bool db_fail(struct db *db, const PGresult *res, struct err *e);

/* sql.c - statements run, and transactions tried again. */
#include "sql.h"
#include "db_conn.h"

static bool answer(struct db *db, PGresult *res, struct result *r,
	int64_t *changed, struct err *e)
{
	ExecStatusType s = PQresultStatus(res);
	bool ok = s == PGRES_TUPLES_OK || s == PGRES_COMMAND_OK;
	if (!ok)
		conn_err(db, res, e);
	if (ok && changed)
		*changed = strtoll(PQcmdTuples(res), NULL, 10);
	if (ok && r)
		*r = (struct result){ .res = res,
			.n = PQntuples(res),
			.at = -1 };
	else
		PQclear(res);
	return ok;
}

static PGresult *run(struct db *db, const char *sql, const struct sql_params *p)
{
	static const struct sql_params none;
	if (!p)
		p = &none;
	return PQexecParams(db->pg, sql, p->n, p->types, p->values, p->lengths,
		p->formats, 1);
}

bool sql_run(struct db *db, const char *sql, const struct sql_params *p,
	struct result *r, struct err *e)
{
	return answer(db, run(db, sql, p), r, NULL, e);
}

bool sql_change(struct db *db, const char *sql, const struct sql_params *p,
	int64_t *changed, struct err *e)
{
	return answer(db, run(db, sql, p), NULL, changed, e);
}

/* The number of the prepared statement with this text, made where it is
 * missing; -1 with *e. */
static int prepare(struct db *db, const char *sql, const struct sql_params *p,
	struct err *e)
{
	int i = 0;
	while (i < db->prepared_n && db->prepared[i] != sql)
		i++;
	if (i < db->prepared_n)
		return i;
	char name[16];
	snprintf(name, sizeof name, "hot%d", i);
	PGresult *res = PQprepare(db->pg, name, sql, p->n, p->types);
	if (!answer(db, res, NULL, NULL, e))
		return -1;
	db->prepared[db->prepared_n++] = sql;
	return i;
}

bool sql_hot(struct db *db, const char *sql, const struct sql_params *p,
	struct result *r, struct err *e)
{
	if (db->prepared_n == PREPARED_MAX)
		return sql_run(db, sql, p, r, e);
	int i = prepare(db, sql, p, e);
	if (i < 0)
		return false;
	char name[16];
	snprintf(name, sizeof name, "hot%d", i);
	PGresult *res = PQexecPrepared(db->pg, name, p->n, p->values,
		p->lengths, p->formats, 1);
	return answer(db, res, r, NULL, e);
}

bool sql_script(struct db *db, const char *text, struct err *e)
{
	return answer(db, PQexec(db->pg, text), NULL, NULL, e);
}

/* Whether what failed last lost a race that it may win next time. */
static bool lost_race(const struct db *db)
{
	static const char *const states[] = { "40001", "40P01", "23505" };
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcmp(db->sqlstate, states[i]))
			return true;
	return false;
}

static bool attempt(struct db *db,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e)
{
	db->sqlstate[0] = '\0';
	if (!sql_script(db, "BEGIN", e))
		return false;
	if (work(db, arg, e) && sql_script(db, "COMMIT", e))
		return true;
	if (PQtransactionStatus(db->pg) != PQTRANS_IDLE) {
		/* What matters is why the work failed. */
		PGresult *res = PQexec(db->pg, "ROLLBACK");
		PQclear(res);
	}
	return false;
}

/* The losers of one race wait unequally long before the next. */
static void pause_a_while(int tries)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t = (struct timespec){ .tv_nsec = (t.tv_nsec / 1000 % 1000 + 1) *
					  1000L * (tries + 1) };
	nanosleep(&t, NULL);
}

bool sql_transaction(struct db *db,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e)
{
	enum { TRIES = 20 };
	for (int tries = 1;; tries++) {
		struct err why = { 0 };
		if (attempt(db, work, arg, &why))
			return true;
		if (!lost_race(db) || tries == TRIES)
			return err_set(e, why.code, "%s", why.text);
		pause_a_while(tries);
	}
}

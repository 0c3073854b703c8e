/* db.c - one connection: made, tried, made again. */
#include "db_conn.h"
#include <errno.h>
#include <poll.h>

enum { STATEMENT_S = 30 };

/* Ours come before the caller's, which therefore win. */
static PGconn *connect_to(const char *conninfo)
{
	const char *const keys[] = { "connect_timeout", "keepalives_idle",
		"keepalives_interval", "keepalives_count", "tcp_user_timeout",
		"fallback_application_name", "client_encoding", "dbname",
		NULL };
	const char *const values[] = { "5", "30", "10", "3", "30000",
		"kernsift", "UTF8", conninfo, NULL };
	return PQconnectdbParams(keys, values, 1);
}

/* Notices ("view does not exist, skipping") are nobody's business. */
static void quiet(void *arg, const PGresult *res)
{
	(void)arg;
	(void)res;
}

static void disconnect(struct db *db)
{
	PQfinish(db->pg);
	db->pg = NULL;
	db->prepared_n = 0;
}

/* Nothing this room asks takes long; what does is stuck. A saver that was
 * stopped in the middle must not hold its locks for ever. */
bool conn_limits(struct db *db, struct err *e)
{
	char text[160];
	snprintf(text, sizeof text,
		"SET statement_timeout = '%ds'; "
		"SET idle_in_transaction_session_timeout = '60s'",
		db->statement_s);
	PGresult *res = PQexec(db->pg, text);
	bool ok = PQresultStatus(res) == PGRES_COMMAND_OK;
	if (!ok)
		conn_err(db, res, e);
	PQclear(res);
	return ok;
}

static bool connect_db(struct db *db, struct err *e)
{
	disconnect(db);
	db->pg = connect_to(db->conninfo);
	if (PQstatus(db->pg) != CONNECTION_OK)
		return conn_err(db, NULL, e);
	PQsetNoticeReceiver(db->pg, quiet, NULL);
	return conn_limits(db, e);
}

bool conn_alive(struct db *db)
{
	if (!db->pg || PQstatus(db->pg) != CONNECTION_OK)
		return false;
	struct pollfd p = { .fd = PQsocket(db->pg), .events = POLLIN };
	int n;
	do
		n = poll(&p, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n == 0;
	/* Something came unasked: a farewell, or only a notice. */
	return PQconsumeInput(db->pg) && PQstatus(db->pg) == CONNECTION_OK &&
	       !(p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

struct db *conn_new(const char *conninfo, int statement_s, struct err *e)
{
	struct db *db = calloc(1, sizeof *db);
	char *copy = strdup(conninfo);
	if (!db || !copy)
		abort();
	db->conninfo = copy;
	db->statement_s = statement_s;
	if (connect_db(db, e))
		return db;
	db_free(db);
	return NULL;
}

struct db *db_new(const char *conninfo, struct err *e)
{
	return conn_new(conninfo, STATEMENT_S, e);
}

void db_free(struct db *db)
{
	if (!db)
		return;
	disconnect(db);
	free(db->conninfo);
	free(db);
}

bool db_revive(struct db *db, struct err *e)
{
	return conn_alive(db) || connect_db(db, e);
}

bool db_ping(struct db *db, struct err *e)
{
	PGresult *res = PQexec(db->pg, "SELECT 1");
	bool ok = PQresultStatus(res) == PGRES_TUPLES_OK;
	if (!ok)
		conn_err(db, res, e);
	PQclear(res);
	return ok;
}

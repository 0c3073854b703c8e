/* upload_wait.c - idle until PostgreSQL tells of something queued. */
#include "upload.h"
#include "db_conn.h"
#include "sql.h"
#include <poll.h>

/* Whether something was told already; all of it is heard then. */
static bool heard(PGconn *pg)
{
	bool any = false;
	for (PGnotify *n; (n = PQnotifies(pg)); any = true)
		PQfreemem(n);
	return any;
}

/* Listening again is free; a connection made anew must begin again. */
bool upload_wait(struct db *db, int ms, struct err *e)
{
	if (!sql_script(db, "LISTEN kernsift_queue", e))
		return false;
	if (heard(db->pg))
		return true;
	struct pollfd p = { .fd = PQsocket(db->pg), .events = POLLIN };
	if (poll(&p, 1, ms) <= 0)
		return true;
	if (!PQconsumeInput(db->pg))
		return conn_err(db, NULL, e);
	heard(db->pg);
	return true;
}

/* event_post.c - a delivery for every webhook that wants it. */
#include "event_post.h"
#include "sql.h"
#include "webhook.h"
#include <string.h>

enum { BODY_MAX = 1 << 18 };

/* Told when the transaction ends, so that the courier finds what it is woken
 * for; once, however many deliveries there are. */
bool event_post(struct db *db, const char *project, const char *event,
	const char *body, struct err *e)
{
	static const char sql[] = "WITH put AS (" WEBHOOK_PUT(
		"WHERE $2 = ANY (w.events) "
		"AND (w.project IS NULL OR w.project = $1) "
		"ORDER BY w.id") ") "
				 "SELECT pg_notify('kernsift_event', '') "
				 "FROM (SELECT count(*) AS n FROM put) c WHERE "
				 "n > 0";
	struct sql_params p = { 0 };
	if (strlen(body) > BODY_MAX)
		return err_set(e, ERR_TOO_LARGE,
			"what a webhook is told of '%.40s' has %zu bytes; the "
			"limit is %d",
			event, strlen(body), BODY_MAX);
	sql_text(&p, project);
	sql_text(&p, event);
	sql_text(&p, body);
	return sql_run(db, sql, &p, NULL, e);
}

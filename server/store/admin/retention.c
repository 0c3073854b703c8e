/* retention.c - a small table, read and replaced whole. */
#include "retention.h"
#include "text_validate.h"
#include "sql.h"

bool retention_list(struct db *db, struct arena *a, struct retention_row **rows,
	uint32_t *n, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT project, raw_days, run_days, quota_mib "
		    "FROM retention ORDER BY project NULLS FIRST",
		    NULL, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct retention_row, *n);
	for (struct retention_row *row = *rows; result_next(&r); row++) {
		row->project = result_text(&r, a);
		row->raw_days = result_int4(&r, -1);
		row->run_days = result_int4(&r, -1);
		row->quota_mib = result_int8(&r, -1);
	}
	result_release(&r);
	return true;
}

struct replacing {
	const struct retention_row *rows;
	uint32_t n;
};

static bool replace(struct db *db, void *arg, struct err *e)
{
	const struct replacing *w = arg;
	if (!sql_run(db, "DELETE FROM retention", NULL, NULL, e))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		struct sql_params p = { 0 };
		sql_text(&p, w->rows[i].project);
		sql_int4_known(&p, w->rows[i].raw_days);
		sql_int4_known(&p, w->rows[i].run_days);
		sql_int8_known(&p, w->rows[i].quota_mib);
		if (!sql_run(db,
			    "INSERT INTO retention (project, raw_days, "
			    "run_days, quota_mib) VALUES ($1, $2, $3, $4)",
			    &p, NULL, e))
			return false;
	}
	return true;
}

/* Of two at once the later one meets the rows of the earlier as if they were
 * its own, and begins again. */
bool retention_replace(struct db *db, const struct retention_row *rows,
	uint32_t n, struct err *e)
{
	struct replacing w = { rows, n };
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].project &&
			!said_check("project", rows[i].project, e))
			return false;
	return sql_transaction(db, replace, &w, e);
}

/* platform_ceilings.c - one document per platform; the newest measurement
 * replaces the one before it. */
#include "platform_ceilings.h"
#include "sql.h"

bool platform_ceilings_list(struct db *db, struct arena *a,
	const char *platform, struct platform_ceilings_row **rows, uint32_t *n,
	struct err *e)
{
	static const char sql[] =
		"SELECT platform, document, measured_at, stored_at "
		"FROM platform_ceiling "
		"WHERE $1::text IS NULL OR platform = $1 "
		"ORDER BY platform";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, platform);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct platform_ceilings_row, *n);
	for (struct platform_ceilings_row *row = *rows; result_next(&r);
		row++) {
		row->platform = result_text(&r, a);
		row->document = result_text(&r, a);
		row->measured = result_moment(&r);
		row->stored = result_moment(&r);
	}
	result_release(&r);
	return true;
}

bool platform_ceilings_store(struct db *db,
	const struct platform_ceilings_row *row, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t changed;
	sql_text(&p, row->platform);
	sql_text(&p, row->document);
	sql_moment(&p, row->measured);
	if (!sql_change(db,
		    "INSERT INTO platform_ceiling AS c "
		    "(platform, document, measured_at) VALUES ($1, $2, $3) "
		    "ON CONFLICT (platform) DO UPDATE SET "
		    "document = EXCLUDED.document, "
		    "measured_at = EXCLUDED.measured_at, stored_at = now() "
		    "WHERE c.measured_at <= EXCLUDED.measured_at",
		    &p, &changed, e))
		return false;
	return changed ||
	       err_set(e, ERR_CONFLICT,
		       "the stored ceilings of '%.100s' were measured later; "
		       "delete them first",
		       row->platform);
}

bool platform_ceilings_delete(struct db *db, const char *platform,
	struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_text(&p, platform);
	return sql_change(db,
		       "DELETE FROM platform_ceiling WHERE platform = $1", &p,
		       &n, e) &&
	       (n || err_set(e, ERR_NOT_FOUND,
			     "no measured ceilings of '%.100s'", platform));
}

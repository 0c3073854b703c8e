/* query_workload.c - what was run, by project and workload. */
#include "query_trend.h"
#include "sql.h"

bool query_workloads(struct db *db, struct arena *a, const char *project,
	const char *q, int64_t after, int limit, struct workload_row **rows,
	uint32_t *n, bool *more, struct err *e)
{
	static const char sql[] =
		"SELECT project, workload, count(*), min(created_at), "
		"max(created_at), max(run_id) "
		"FROM run "
		"WHERE ($1 IS NULL OR project = $1) "
		"AND ($2 IS NULL OR strpos(lower(project || E'\\n' || "
		"workload), lower($2)) > 0) "
		"GROUP BY project, workload "
		"HAVING $3 = 0 OR max(run_id) < $3 "
		"ORDER BY max(run_id) DESC "
		"LIMIT $4";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, project);
	sql_text(&p, q);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*more = r.n > limit;
	*n = (uint32_t)(*more ? limit : r.n);
	*rows = arena_array(a, struct workload_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++) {
		struct workload_row *w = &(*rows)[i];
		w->project = result_text(&r, a);
		w->workload = result_text(&r, a);
		w->runs = result_int8(&r, 0);
		w->first = result_moment(&r);
		w->last = result_moment(&r);
		w->newest = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

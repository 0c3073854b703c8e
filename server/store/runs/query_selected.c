/* query_selected.c - runs by what they have, and whole jobs of them. */
#include "query_selected.h"
#include "sql.h"

/* More hits than wanted runs are never needed: each is a run of the answer. */
static const char sql[] =
	"WITH hit AS MATERIALIZED ("
	"SELECT run_id, job_id, created_at "
	"FROM run "
	"WHERE ($1 IS NULL OR project = $1) "
	"AND ($2 IS NULL OR project = $2) "
	"AND ($3 IS NULL OR workload = $3) "
	"AND ($4 IS NULL OR framework = $4) "
	"AND ($5 IS NULL OR labels @> $5) "
	"AND ($6 IS NULL OR created_at >= $6) "
	"AND ($7 IS NULL OR created_at < $7) "
	"AND run_id <> ALL ($8) "
	"AND (job_id IS NULL OR job_id NOT IN (SELECT job_id FROM run "
	"WHERE run_id = ANY ($8) AND job_id IS NOT NULL)) "
	"ORDER BY created_at DESC, run_id DESC LIMIT $9), "
	"unit AS (SELECT job_id, CASE WHEN job_id IS NULL THEN run_id END "
	"AS lone, max(created_at) AS newest, max(run_id) AS last "
	"FROM hit "
	"GROUP BY 1, 2 "
	"ORDER BY 3 DESC, 4 DESC LIMIT $10) "
	"SELECT r.run_id "
	"FROM unit u "
	"CROSS JOIN LATERAL (SELECT u.lone AS run_id, 0 AS rank "
	"WHERE u.job_id IS NULL "
	"UNION ALL SELECT run_id, rank "
	"FROM run "
	"WHERE job_id = u.job_id AND ($2 IS NULL OR project = $2) "
	"AND ($7 IS NULL OR created_at < $7)) r "
	"ORDER BY u.newest, u.last, r.rank, r.run_id LIMIT $9";

bool query_selected(struct db *db, const struct select_filter *f, uint32_t most,
	int64_t *ids, uint32_t *n, bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array without;
	struct result r;
	sql_text(&p, f->project);
	sql_text(&p, f->within);
	sql_text(&p, f->workload);
	sql_text(&p, f->framework);
	sql_json(&p, f->labels);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_array_init(&without, SQL_INT8);
	for (uint32_t i = 0; i < f->without_n; i++)
		sql_array_int8(&without, f->without[i]);
	sql_array(&p, &without);
	sql_int8(&p, most + INT64_C(1));
	sql_int8(&p, f->units);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&without);
	if (!ok)
		return false;
	*more = (uint32_t)r.n > most;
	for (*n = 0; *n < most && result_next(&r); ++*n)
		ids[*n] = result_int8(&r, 0);
	result_release(&r);
	return true;
}

static const char first_sql[] =
	"SELECT w.id, r.created_at, r.project, r.workload "
	"FROM unnest($1) AS w (id) "
	"LEFT JOIN run r ON r.run_id = w.id "
	"ORDER BY r.created_at NULLS FIRST, w.id LIMIT 1";

bool query_selected_first(struct db *db, struct arena *a, const int64_t *ids,
	uint32_t n, struct selected_first *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array list;
	struct result r;
	sql_array_init(&list, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(&list, ids[i]);
	sql_array(&p, &list);
	bool ok = sql_run(db, first_sql, &p, &r, e);
	sql_array_release(&list);
	if (!ok)
		return false;
	result_next(&r);
	out->run = result_int8(&r, 0);
	out->created = result_moment(&r);
	out->project = result_text(&r, a);
	out->workload = result_text(&r, a);
	result_release(&r);
	return out->created != NO_MOMENT ||
	       err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)out->run);
}

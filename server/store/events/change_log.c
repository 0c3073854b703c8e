/* change_log.c - the search for change points: which workloads are due, and
 * which change points were recorded. */
#include "change_log.h"
#include "sql.h"
#include "webhook.h"

/* Reads only the end of the primary key, so that more runs do not make it
 * slower. */
bool change_log_due(struct db *db, struct arena *a, int64_t after,
	struct change_due *out, struct err *e)
{
	static const char sql[] =
		"SELECT r.project, r.workload, coalesce(s.run_id, 0), "
		"max(r.run_id) "
		"FROM run r "
		"LEFT JOIN change_seen s ON s.project = r.project "
		"AND s.workload = r.workload "
		"WHERE r.run_id > (SELECT coalesce(max(run_id), 0) - 10000 "
		"FROM change_seen) "
		"AND r.run_id > coalesce(s.run_id, 0) "
		"GROUP BY r.project, r.workload, s.run_id "
		"HAVING max(r.run_id) > $1 "
		"ORDER BY max(r.run_id) "
		"LIMIT 2";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, after);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*out = (struct change_due){ .more = r.n > 1 };
	if (result_next(&r)) {
		out->project = result_text(&r, a);
		out->workload = result_text(&r, a);
		out->seen = result_int8(&r, 0);
		out->newest = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

bool change_log_operators(struct db *db, struct arena *a,
	const struct change_due *d, int most, const char *const **names,
	uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT o.operator "
		"FROM (SELECT run_id FROM run WHERE project = $1 "
		"AND workload = $2 AND counted "
		"ORDER BY created_at DESC, run_id DESC LIMIT 20) r "
		"JOIN run_operator o ON o.run_id = r.run_id "
		"WHERE o.operator IS NOT NULL "
		"GROUP BY o.operator "
		"ORDER BY sum(o.total_ns) DESC, o.operator "
		"LIMIT $3";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, d->project);
	sql_text(&p, d->workload);
	sql_int8(&p, most);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	const char **list = arena_array(a, const char *, (size_t)r.n);
	for (*n = 0; result_next(&r); (*n)++)
		list[*n] = result_text(&r, a);
	result_release(&r);
	*names = list;
	return true;
}

bool change_log_recorded(struct db *db, struct arena *a,
	const struct change_due *d, const char *metric, const int64_t **runs,
	uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT run_id "
		"FROM change_point "
		"WHERE project = $1 AND workload = $2 AND metric = $3 "
		"ORDER BY run_id";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, d->project);
	sql_text(&p, d->workload);
	sql_text(&p, metric);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	int64_t *list = arena_array(a, int64_t, (size_t)r.n);
	for (*n = 0; result_next(&r); (*n)++)
		list[*n] = result_int8(&r, 0);
	result_release(&r);
	*runs = list;
	return true;
}

struct change_log_recording {
	const struct change_due *d;
	const struct change_point_record *records;
	uint32_t n;
};

static bool change_log_record_one(struct db *db, const struct change_due *d,
	const struct change_point_record *records, struct err *e)
{
	static const char sql[] =
		"INSERT INTO change_point (project, workload, metric, run_id, "
		"change_pct, worse) "
		"VALUES ($1, $2, $3, $4, $5, $6) "
		"ON CONFLICT DO NOTHING";
	struct sql_params p = { 0 };
	int64_t made;
	sql_text(&p, d->project);
	sql_text(&p, d->workload);
	sql_text(&p, records->metric);
	sql_int8(&p, records->run);
	sql_float8(&p, records->change_pct);
	sql_bool(&p, records->worse);
	if (!sql_change(db, sql, &p, &made, e))
		return false;
	return !made || !records->body ||
	       webhook_notify(db, d->project, "change_point", records->body, e);
}

static bool change_log_record_all(struct db *db, void *arg, struct err *e)
{
	static const char sql[] =
		"INSERT INTO change_seen (project, workload, run_id) "
		"VALUES ($1, $2, $3) "
		"ON CONFLICT (project, workload) DO UPDATE "
		"SET run_id = greatest(change_seen.run_id, EXCLUDED.run_id)";
	const struct change_log_recording *s = arg;
	struct sql_params p = { 0 };
	for (uint32_t i = 0; i < s->n; i++)
		if (!change_log_record_one(db, s->d, &s->records[i], e))
			return false;
	sql_text(&p, s->d->project);
	sql_text(&p, s->d->workload);
	sql_int8(&p, s->d->newest);
	return sql_run(db, sql, &p, NULL, e);
}

bool change_log_record(struct db *db, const struct change_due *d,
	const struct change_point_record *records, uint32_t n, struct err *e)
{
	struct change_log_recording s = { d, records, n };
	return sql_transaction(db, change_log_record_all, &s, e);
}

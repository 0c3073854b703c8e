/* slow_gpu_log.c - the search for slow GPUs: which projects are due, and which GPUs
 * were recorded. */
#include "slow_gpu_log.h"
#include "sql.h"
#include "webhook.h"

/* The index run_project gives the next name and the newest runs of a project. So
 * this reads two rows of a project without new runs, and at most 102 of others,
 * however many runs there are. BETWEEN in place of `=`: otherwise the planner
 * can choose run_created, and pass over the runs of all other projects. The
 * recursion ends at the first due project, so a round that continues after it
 * reads each project once. */
bool slow_gpu_log_due(struct db *db, struct arena *a, const char *after,
	struct slow_gpu_due *out, struct err *e)
{
	static const char sql[] =
		"WITH RECURSIVE p (project, newest, next) AS ("
		"SELECT NULL::text COLLATE \"C\", NULL::bigint, "
		"(SELECT project FROM run WHERE $1 IS NULL OR project > $1 "
		"ORDER BY project LIMIT 1) "
		"UNION ALL "
		"SELECT p.next, "
		"(SELECT n.newest "
		"FROM (SELECT run_id FROM run "
		"WHERE project BETWEEN p.next AND p.next "
		"ORDER BY project DESC, created_at DESC, run_id DESC "
		"LIMIT 1) last "
		"CROSS JOIN LATERAL (SELECT count(*) AS runs, "
		"max(r.run_id) AS newest "
		"FROM (SELECT run_id FROM run "
		"WHERE project BETWEEN p.next AND p.next "
		"ORDER BY project DESC, created_at DESC, run_id DESC "
		"LIMIT 100) r "
		"WHERE r.run_id > coalesce(s.run_id, 0)) n "
		"WHERE last.run_id > coalesce(s.run_id, 0) AND n.runs > 0 "
		"AND n.runs * 20 >= least(coalesce(s.runs, 0), 2000)), "
		"(SELECT project FROM run WHERE project > p.next "
		"ORDER BY project LIMIT 1) "
		"FROM p "
		/* LIMIT: without it, each step could read all rows for a hash
		 * join. */
		"LEFT JOIN LATERAL (SELECT run_id, runs FROM slow_gpu_seen "
		"WHERE project = p.next LIMIT 1) s ON true "
		"WHERE p.next IS NOT NULL AND p.newest IS NULL) "
		"SELECT project, newest FROM p WHERE newest IS NOT NULL";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, after);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*out = (struct slow_gpu_due){ 0 };
	if (result_next(&r)) {
		out->project = result_text(&r, a);
		out->newest = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

struct slow_gpu_recording {
	const struct slow_gpu_due *d;
	const struct slow_gpu_record *records;
	uint32_t n;
	int64_t runs;
};

static bool slow_gpu_log_forget(struct db *db, const char *project,
	const char *gpu, struct err *e)
{
	static const char sql[] =
		"DELETE FROM slow_gpu WHERE project = $1 AND gpu = $2";
	struct sql_params p = { 0 };
	sql_text(&p, project);
	sql_text(&p, gpu);
	return sql_run(db, sql, &p, NULL, e);
}

static bool slow_gpu_log_add(struct db *db, const char *project,
	const struct slow_gpu_record *record, struct err *e)
{
	/* xmax is 0 in a row that this statement inserted. */
	static const char sql[] =
		"INSERT INTO slow_gpu (project, gpu, slowdown) "
		"VALUES ($1, $2, $3) "
		"ON CONFLICT (project, gpu) DO UPDATE "
		"SET slowdown = EXCLUDED.slowdown "
		"RETURNING xmax = 0";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, project);
	sql_text(&p, record->gpu);
	sql_float8(&p, record->slowdown);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	bool is_new = result_bool(&r);
	result_release(&r);
	return !is_new ||
	       webhook_notify(db, project, "slow_device", record->body, e);
}

static bool slow_gpu_log_record_all(struct db *db, void *arg, struct err *e)
{
	static const char sql[] =
		"INSERT INTO slow_gpu_seen (project, run_id, runs) "
		"VALUES ($1, $2, $3) "
		"ON CONFLICT (project) DO UPDATE "
		"SET run_id = EXCLUDED.run_id, runs = EXCLUDED.runs";
	const struct slow_gpu_recording *s = arg;
	struct sql_params p = { 0 };
	for (uint32_t i = 0; i < s->n; i++) {
		const struct slow_gpu_record *r = &s->records[i];
		if (r->slow ? !slow_gpu_log_add(db, s->d->project, r, e)
			    : !slow_gpu_log_forget(db, s->d->project, r->gpu,
				      e))
			return false;
	}
	sql_text(&p, s->d->project);
	sql_int8(&p, s->d->newest);
	sql_int8(&p, s->runs);
	return sql_run(db, sql, &p, NULL, e);
}

bool slow_gpu_log_record(struct db *db, const struct slow_gpu_due *d,
	const struct slow_gpu_record *records, uint32_t n, int64_t runs,
	struct err *e)
{
	struct slow_gpu_recording s = { d, records, n, runs };
	return sql_transaction(db, slow_gpu_log_record_all, &s, e);
}

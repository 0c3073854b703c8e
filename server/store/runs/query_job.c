/* query_job.c - jobs, each with the runs that are of it. */
#include "query_compared.h"
#include "sql.h"

/* By rank, those that tell none last; a job without runs is not there. */
#define COLUMNS                                                     \
	"SELECT j.id, j.upload_id, j.project, nullif(j.name, ''), " \
	"j.created_at, r.n, r.ids "                                 \
	"FROM job j "                                               \
	"CROSS JOIN LATERAL (SELECT count(*) AS n, "                \
	"(array_agg(run_id ORDER BY rank, run_id))[:$1] AS ids "    \
	"FROM run WHERE job_id = j.id) r "

static void read_row(struct result *r, struct arena *a, struct job_row *j)
{
	j->id = result_int8(r, 0);
	j->upload = result_int8(r, 0);
	j->project = result_text(r, a);
	j->name = result_text(r, a);
	j->created = result_moment(r);
	j->runs_all = result_int8(r, 0);
	j->runs = result_int8s(r, a, &j->runs_n);
}

bool query_job(struct db *db, struct arena *a, int64_t id, struct job_row *row,
	struct err *e)
{
	static const char sql[] = COLUMNS "WHERE j.id = $2 AND r.n > 0";
	struct sql_params p = { 0 };
	struct result r;
	sql_int4(&p, QUERY_JOB_RUNS);
	sql_int8(&p, id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		read_row(&r, a, row);
	result_release(&r);
	return there || err_set(e, ERR_NOT_FOUND, "no job %lld", (long long)id);
}

bool query_jobs(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct job_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	static const char sql[] =
		COLUMNS "WHERE ($2 IS NULL OR j.project = $2) "
			"AND ($3 = 0 OR j.id < $3) AND r.n > 0 "
			"ORDER BY j.id DESC LIMIT $4";
	struct sql_params p = { 0 };
	struct result r;
	sql_int4(&p, QUERY_JOB_RUNS);
	sql_text(&p, project);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*more = r.n > limit;
	*n = (uint32_t)(*more ? limit : r.n);
	*rows = arena_array(a, struct job_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		read_row(&r, a, &(*rows)[i]);
	result_release(&r);
	return true;
}

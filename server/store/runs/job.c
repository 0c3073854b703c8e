/* job.c - inserts each job once even if many ranks insert it; reads jobs with
 * their runs. */
#include "job.h"
#include "sql.h"

/* If two processes insert the same job, the second waits for the first and
 * inserts nothing. All processes insert in one order, so that there is no
 * deadlock. */
#define JOB_VALUES "u.job, CASE u.job WHEN '' THEN u.id ELSE 0 END "
#define JOB_OF_RUN JOB_OF("u", "coalesce(i.project, u.project)")
#define JOB_MOVED JOB_OF("u", "$2::text")

bool job_make(struct db *db, int64_t upload, bool ranks, struct err *e)
{
	static const char sql[] =
		"INSERT INTO job (project, name, upload_id) "
		"SELECT DISTINCT coalesce(i.project, u.project), " JOB_VALUES
		"FROM upload u "
		"LEFT JOIN run_identity i ON i.upload_id = u.id "
		"AND i.deleted_at IS NULL "
		"WHERE u.id = $1 AND (u.job <> '' OR $2) "
		"AND " JOB_OF_RUN " IS NULL "
		"ORDER BY 1 "
		"ON CONFLICT DO NOTHING";
	struct sql_params p = { 0 };
	sql_int8(&p, upload);
	sql_bool(&p, ranks);
	return sql_hot(db, sql, &p, NULL, e);
}

bool job_make_moved(struct db *db, int64_t run, const char *project,
	struct err *e)
{
	static const char sql[] =
		"INSERT INTO job (project, name, upload_id) "
		"SELECT DISTINCT $2::text, " JOB_VALUES
		"FROM run r JOIN upload u ON u.id = r.upload_id "
		"WHERE r.run_id = $1 AND r.job_id IS NOT NULL "
		"AND " JOB_MOVED " IS NULL "
		"ORDER BY 1 "
		"ON CONFLICT DO NOTHING";
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	sql_text(&p, project);
	return sql_run(db, sql, &p, NULL, e);
}

/* The runs of a job by rank; those without a rank come last. */
#define JOB_COLUMNS                                                 \
	"SELECT j.id, j.upload_id, j.project, nullif(j.name, ''), " \
	"j.created_at, r.n, r.ids "                                 \
	"FROM job j "                                               \
	"CROSS JOIN LATERAL (SELECT count(*) AS n, "                \
	"(array_agg(run_id ORDER BY rank, run_id))[:$1] AS ids "    \
	"FROM run WHERE job_id = j.id) r "

static void job_read_row(struct result *r, struct arena *a, void *row)
{
	struct job_row *j = row;

	j->id = result_int8(r, 0);
	j->upload = result_int8(r, 0);
	j->project = result_text(r, a);
	j->name = result_text(r, a);
	j->created = result_moment(r);
	j->runs_all = result_int8(r, 0);
	j->runs = result_int8s(r, a, &j->runs_n);
}

bool job_read(struct db *db, struct arena *a, int64_t id, struct job_row *row,
	struct err *e)
{
	static const char sql[] = JOB_COLUMNS "WHERE j.id = $2 AND r.n > 0";
	struct sql_params p = { 0 };
	bool there;
	sql_int4(&p, JOB_RUNS_MAX);
	sql_int8(&p, id);
	return sql_one(db, sql, &p, job_read_row, a, row, &there, e) &&
	       (there ||
		       err_set(e, ERR_NOT_FOUND, "no job %lld", (long long)id));
}

bool job_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct job_row **rows, uint32_t *n,
	bool *more, int64_t *total, struct err *e)
{
	static const char all[] =
		SQL_COUNT("FROM job j "
			  "WHERE ($2 IS NULL OR j.project = $2) "
			  "AND EXISTS (SELECT FROM run WHERE job_id = j.id) ");
	static const char sql[] =
		JOB_COLUMNS "WHERE ($2 IS NULL OR j.project = $2) "
			    "AND ($3 = 0 OR j.id < $3) AND r.n > 0 "
			    "ORDER BY j.id DESC LIMIT $4";
	struct sql_params p = { 0 };
	sql_int4(&p, JOB_RUNS_MAX);
	sql_text(&p, project);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	if (total && !sql_count(db, all, &p, total, e))
		return false;
	*rows = sql_page(db, sql, &p, limit, job_read_row, sizeof **rows, a, n,
		more, e);
	return *rows;
}

/* job.c - jobs are made once, whoever comes first. */
#include "job.h"
#include "sql.h"

bool job_tells_ranks(const struct profile *runs, uint32_t n)
{
	int32_t first = -1;
	for (uint32_t i = 0; i < n; i++) {
		if (runs[i].rank < 0)
			continue;
		if (first >= 0 && runs[i].rank != first)
			return true;
		first = runs[i].rank;
	}
	return false;
}

/* Who makes the same at once waits for the first and then makes nothing; all
 * go by one order, so that nobody waits in a circle. */
#define MAKE(project)                                 \
	"INSERT INTO job (project, name, upload_id) " \
	"SELECT DISTINCT " project ", u.job, "        \
	"CASE u.job WHEN '' THEN u.id ELSE 0 END "
#define MISSING(project)                          \
	"AND " JOB_OF("u", project) " IS NULL "   \
				    "ORDER BY 1 " \
				    "ON CONFLICT DO NOTHING"

bool job_make(struct db *db, int64_t upload, bool ranks, struct err *e)
{
	static const char sql[] = MAKE(
		"coalesce(i.project, u.project)") "FROM upload u "
						  "LEFT JOIN run_identity i ON "
						  "i.upload_id = u.id "
						  "AND i.deleted_at IS NULL "
						  "WHERE u.id = $1 AND (u.job "
						  "<> '' OR $2) " MISSING(
							  "coalesce(i.project, "
							  "u.project)");
	struct sql_params p = { 0 };
	sql_int8(&p, upload);
	sql_bool(&p, ranks);
	return sql_hot(db, sql, &p, NULL, e);
}

bool job_make_moved(struct db *db, int64_t run, const char *project,
	struct err *e)
{
	static const char sql[] = MAKE(
		"$2::text") "FROM run r JOIN upload u ON u.id = r.upload_id "
			    "WHERE r.run_id = $1 AND r.job_id IS NOT "
			    "NULL " MISSING("$2::text");
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	sql_text(&p, project);
	return sql_run(db, sql, &p, NULL, e);
}

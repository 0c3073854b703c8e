/* resource_project.c - one look-up by key. */
#include "resource_project.h"
#include "sql.h"
#include <string.h>

static const struct {
	const char *name, *sql;
} resources[] = {
	[RESOURCE_RUN] = { "run", "SELECT project FROM run WHERE run_id = $1" },
	[RESOURCE_UPLOAD] = { "upload",
		"SELECT project FROM upload WHERE id = $1" },
	[RESOURCE_JOB] = { "job", "SELECT project FROM job WHERE id = $1" },
	[RESOURCE_GATE] = { "gate", "SELECT project FROM gate WHERE id = $1" },
	[RESOURCE_WEBHOOK] = { "webhook",
		"SELECT project FROM webhook WHERE id = $1" },
	[RESOURCE_TOKEN] = { "token",
		"SELECT project FROM token WHERE id = $1" },
};

bool resource_project(struct db *db, struct arena *a,
	enum project_resource what, int64_t id, const char **project,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	if (!sql_hot(db, resources[what].sql, &p, &r, e))
		return false;
	*project = result_next(&r) ? result_text(&r, a) : NULL;
	result_release(&r);
	return true;
}

bool resource_project_check(struct db *db, enum project_resource what,
	int64_t id, const char *project, struct err *e)
{
	struct arena a = { 0 };
	const char *is;
	bool ok = resource_project(db, &a, what, id, &is, e) &&
		  ((is && !strcmp(is, project)) ||
			  err_set(e, ERR_NOT_FOUND, "no %s %lld",
				  resources[what].name, (long long)id));
	arena_release(&a);
	return ok;
}

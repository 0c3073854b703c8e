/* project_scope.c - compares the project of an object with that of the
 * token. */
#include "project_scope.h"
#include <string.h>

bool project_scope_thing(struct service_call *c, enum project_resource what,
	int64_t id, struct err *e)
{
	return !*c->who.project ||
	       (service_db(c, e) && resource_project_check(c->db, what, id,
					    c->who.project, e));
}

bool project_scope_run(struct service_call *c, int64_t run, struct err *e)
{
	return project_scope_thing(c, RESOURCE_RUN, run, e);
}

bool project_scope_job(struct service_call *c, int64_t job, struct err *e)
{
	return project_scope_thing(c, RESOURCE_JOB, job, e);
}

const char *project_scope_name(const struct service_call *c)
{
	return *c->who.project ? c->who.project : NULL;
}

bool project_scope_allows(const struct service_call *c, const char *project,
	struct err *e)
{
	return !*c->who.project || !strcmp(project, c->who.project) ||
	       err_set(e, ERR_FORBIDDEN,
		       "the token is of project '%.200s' alone, not of "
		       "'%.100s'",
		       c->who.project, project);
}

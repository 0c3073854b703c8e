/* project_scope.h - what the token of one project may see.
 *
 * A token may be limited to one project. A word in routes.def says what each
 * route shows, and the dispatcher checks the project of such a token before the
 * handler runs. If the request names runs (PROJECT_SCOPE_RUNS),
 * project_scope_run() checks each one when it is read. Objects of another
 * project give the same error as objects that do not exist. */
#pragma once
#include "resource_project.h"
#include "service.h"
/* Whether the caller may see this object, run or job (ids as in query.h);
 * otherwise ERR_NOT_FOUND. Reads nothing if the token is valid for all
 * projects. */
bool project_scope_thing(struct service_call *c, enum project_resource what,
	int64_t id, struct err *e);
bool project_scope_run(struct service_call *c, int64_t run, struct err *e);
bool project_scope_job(struct service_call *c, int64_t job, struct err *e);
/* The caller's project; NULL if the caller may see all projects. For queries of
 * PROJECT_SCOPE_RUNS that search runs themselves. */
const char *project_scope_name(const struct service_call *c);
/* Whether the caller may add data to this project; otherwise ERR_FORBIDDEN. */
bool project_scope_allows(const struct service_call *c, const char *project,
	struct err *e);

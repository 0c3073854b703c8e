/* project_scope.h - what the token of one project may see.
 *
 * A token may be limited to one project. Every route has a word in routes.def
 * for what it shows, and the dispatcher checks such a token's project before
 * the handler runs. If the request names runs (PROJECT_SCOPE_RUNS),
 * project_scope_run() checks each one when it is read. Objects of another
 * project give the same error as objects that do not exist. */
#pragma once
#include "resource_project.h"
#include "service.h"
/* Whether the caller may see this thing, run, job (query.h's ids): else
 * ERR_NOT_FOUND. Costs nothing if the token is of all projects. */
bool project_scope_thing(struct service_call *c, enum project_resource what,
	int64_t id, struct err *e);
bool project_scope_run(struct service_call *c, int64_t run, struct err *e);
bool project_scope_job(struct service_call *c, int64_t job, struct err *e);
/* The caller's project, NULL if it may see all: for queries of
 * PROJECT_SCOPE_RUNS that search runs themselves. */
const char *project_scope_name(const struct service_call *c);
/* Whether the caller may put something into this project: else ERR_FORBIDDEN. */
bool project_scope_allows(const struct service_call *c, const char *project,
	struct err *e);

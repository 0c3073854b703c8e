/* reach.h - who asks, and which projects a token lets him see.
 *
 * A token may be of one project. Every route says in routes.def what it shows
 * (REACH_…), and the dispatcher holds such a token to its project before the
 * handler runs; of runs that the request names (REACH_RUNS) whoever reads them
 * asks reach_run() for each. What is of another project is refused with the same
 * sentence as what is not there. */
#pragma once
#include "token.h"

struct call;

enum { WHO_NAME = 501 };

/* How he showed who he is. */
enum who_by { BY_NONE, BY_LOOPBACK, BY_TOKEN, BY_COOKIE };

struct who {
	enum scope scope;
	enum who_by by;
	int64_t token; /* 0: none was needed */
	int64_t expires; /* the token's; NO_MOMENT never */
	char name[WHO_NAME]; /* the token's, or "loopback" */
	char project[WHO_NAME]; /* "" all */
};

/* The dispatcher's, once parameters are read: refuses, or puts the project into
 * the parameter `project`. */
bool reach_check(struct call *c, struct err *e);
/* Whether the caller may see this run, job (query.h's ids): ERR_NOT_FOUND. Costs
 * nothing where the token is of all projects. */
bool reach_run(struct call *c, int64_t run, struct err *e);
bool reach_job(struct call *c, int64_t job, struct err *e);
/* The caller's project, NULL where he may see all: for queries of REACH_RUNS
 * that look for runs by themselves. */
const char *reach_project(const struct call *c);
/* Whether he may say that something is of this project: ERR_FORBIDDEN. */
bool reach_says(const struct call *c, const char *project, struct err *e);

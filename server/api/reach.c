/* reach.c - what a token of one project is held to. */
#include "reach.h"
#include "handler.h"
#include "resource_project.h"
#include "route.h"
#include <string.h>

static bool reach_thing(struct call *c, enum resource what, int64_t id,
	struct err *e)
{
	return !*c->who.project ||
	       (call_db(c, e) && resource_project_check(c->db, what, id,
					 c->who.project, e));
}

bool reach_run(struct call *c, int64_t run, struct err *e)
{
	return reach_thing(c, RESOURCE_RUN, run, e);
}

bool reach_job(struct call *c, int64_t job, struct err *e)
{
	return reach_thing(c, RESOURCE_JOB, job, e);
}

const char *reach_project(const struct call *c)
{
	return *c->who.project ? c->who.project : NULL;
}

bool reach_says(const struct call *c, const char *project, struct err *e)
{
	return !*c->who.project || !strcmp(project, c->who.project) ||
	       err_set(e, ERR_FORBIDDEN,
		       "the token is of project '%.200s' alone, not of "
		       "'%.100s'",
		       c->who.project, project);
}

static struct param *named(struct params *ps, const char *name)
{
	for (int i = 0; i < ps->n; i++)
		if (!strcmp(ps->list[i].spec->name, name))
			return &ps->list[i];
	return NULL;
}

/* As if he had said it himself, so that cursors are of that list too. A
 * reference set is of no project, and knows none. */
static bool project_put(struct call *c, struct err *e)
{
	struct param *set = named(&c->params, "set");
	struct param *p = named(&c->params, "project");
	if (set && set->given)
		return true;
	if (p->given)
		return reach_says(c, p->text, e);
	p->given = true;
	p->text = c->who.project;
	return true;
}

bool reach_check(struct call *c, struct err *e)
{
	if (!*c->who.project)
		return true;
	switch (c->route->reach) {
	case REACH_OPEN:
	case REACH_RUNS:
	case REACH_SAYS:
		return true;
	case REACH_RUN:
		return reach_run(c, c->id, e);
	case REACH_UPLOADED:
		return reach_thing(c, RESOURCE_UPLOAD, c->id, e);
	case REACH_JOB:
		return reach_job(c, c->id, e);
	case REACH_GATE:
		return reach_thing(c, RESOURCE_GATE, c->id, e);
	case REACH_TOKEN:
		return reach_thing(c, RESOURCE_TOKEN, c->id, e);
	case REACH_WEBHOOK:
		return reach_thing(c, RESOURCE_WEBHOOK, c->id, e);
	case REACH_PROJECT:
		return project_put(c, e);
	case REACH_WHOLE:
		break;
	}
	return err_set(e, ERR_FORBIDDEN,
		"this is of all projects; the token is of project '%.200s' "
		"alone",
		c->who.project);
}

/* audit_record.c - from a call to a row of the audit log. */
#include "audit_record.h"
#include "audit.h"
#include "call.h"
#include "log.h"
#include "of_project.h"
#include "route.h"
#include <stdarg.h>
#include <string.h>

void trail_keep(struct call *c)
{
	const struct api_request *r = c->request;
	c->trail.path = arena_strdup(&c->s.arena, r->path);
	if (r->query && *r->query)
		c->trail.detail = arena_strdup(&c->s.arena, r->query);
}

bool trail_wanted(const struct call *c)
{
	return strcmp(c->route->method, "GET") != 0 &&
	       c->route->scope > SCOPE_READ;
}

/* The project of what the address names; NULL where it names none. */
static bool audit_record_project_read(struct call *c, const char **project,
	struct err *e)
{
	static const struct {
		enum reach reach;
		enum thing thing;
	} named[] = {
		{ REACH_RUN, THING_RUN },
		{ REACH_UPLOADED, THING_UPLOAD },
		{ REACH_JOB, THING_JOB },
		{ REACH_GATE, THING_GATE },
		{ REACH_TOKEN, THING_TOKEN },
		{ REACH_WEBHOOK, THING_WEBHOOK },
	};
	*project = reach_project(&c->s);
	if (!*project && c->route->reach == REACH_PROJECT)
		*project = param_text(&c->params, "project", NULL);
	for (size_t i = 0; !*project && i < sizeof named / sizeof *named; i++)
		if (named[i].reach == c->route->reach)
			return project_of(c->s.db, &c->s.arena, named[i].thing,
				c->id, project, e);
	return true;
}

static struct audit_row audit_record_row_of(const struct call *c)
{
	return (struct audit_row){
		.who = c->s.who.name,
		.token = c->s.who.token,
		.method = c->route->method,
		.path = c->trail.path,
		.detail = c->trail.detail,
	};
}

bool trail_begin(struct call *c, struct err *e)
{
	struct audit_row row = audit_record_row_of(c);
	return c->trail.id ||
	       (call_db(c, e) &&
		       audit_record_project_read(c, &row.project, e) &&
		       audit_begin(c->s.db, &row, &c->trail.id, e));
}

bool trail_also(struct call *c, const char *project, struct err *e)
{
	struct audit_row row = audit_record_row_of(c);
	row.project = project;
	return audit_begin(c->s.db, &row, &c->trail.also, e);
}

void trail_tell(struct call *c, const char *project, const char *fmt, ...)
{
	char text[AUDIT_DETAIL];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->trail.told = arena_strdup(&c->s.arena, text);
	c->trail.project = project ? arena_strdup(&c->s.arena, project) : NULL;
}

void trail_end(struct call *c, int status)
{
	struct err e = { 0 };
	if (!c->trail.id)
		return;
	call_db_return(c); /* it may have broken meanwhile */
	if (!call_db(c, &e) ||
		!audit_end(c->s.db, c->trail.id, status, c->trail.told,
			c->trail.project, &e) ||
		(c->trail.also && !audit_end(c->s.db, c->trail.also, status,
					  c->trail.told, NULL, &e)))
		log_warn("audit row=%lld status=%d text=\"%s\"",
			(long long)c->trail.id, status, e.text);
	c->trail.id = c->trail.also = 0;
}

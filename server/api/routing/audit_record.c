/* audit_record.c - writes the row of the audit log for an API call. */
#include "audit_record.h"
#include "audit.h"
#include "call.h"
#include "log.h"
#include "resource_project.h"
#include "route.h"
#include <stdarg.h>

/* Reads the project of the resource that the path names; NULL if the path names
 * none. */
static bool audit_record_project_read(struct call *c, const char **project,
	struct err *e)
{
	static const struct {
		enum project_scope project_scope;
		enum project_resource thing;
	} named[] = {
		{ PROJECT_SCOPE_RUN, RESOURCE_RUN },
		{ PROJECT_SCOPE_UPLOADED, RESOURCE_UPLOAD },
		{ PROJECT_SCOPE_JOB, RESOURCE_JOB },
		{ PROJECT_SCOPE_GATE, RESOURCE_GATE },
		{ PROJECT_SCOPE_TOKEN, RESOURCE_TOKEN },
		{ PROJECT_SCOPE_WEBHOOK, RESOURCE_WEBHOOK },
	};
	*project = project_scope_name(&c->s);
	if (!*project && c->route->project_scope == PROJECT_SCOPE_PROJECT)
		*project = param_text(&c->params, "project", NULL);
	for (size_t i = 0; !*project && i < sizeof named / sizeof *named; i++)
		if (named[i].project_scope == c->route->project_scope)
			return resource_project(c->s.db, &c->s.arena,
				named[i].thing, c->id, project, e);
	return true;
}

static struct audit_row audit_record_row_of(const struct call *c)
{
	return (struct audit_row){
		.who = c->s.who.name,
		.token = c->s.who.token,
		.method = c->route->method,
		.path = c->audit.path,
		.detail = c->audit.detail,
	};
}

bool audit_record_begin(struct call *c, struct err *e)
{
	struct audit_row row = audit_record_row_of(c);
	return c->audit.id ||
	       (call_db(c, e) &&
		       audit_record_project_read(c, &row.project, e) &&
		       audit_begin(c->s.db, &row, &c->audit.id, e));
}

bool audit_record_also(struct call *c, const char *project, struct err *e)
{
	struct audit_row row = audit_record_row_of(c);
	row.project = project;
	return audit_begin(c->s.db, &row, &c->audit.also, e);
}

void audit_record_describe(struct call *c, const char *project, const char *fmt,
	...)
{
	char text[AUDIT_DETAIL];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->audit.description = arena_strdup(&c->s.arena, text);
	c->audit.project = project ? arena_strdup(&c->s.arena, project) : NULL;
}

void audit_record_end(struct call *c, int status)
{
	struct err e = { 0 };
	if (!c->audit.id)
		return;
	call_db_return(c); /* the connection may have broken meanwhile */
	if (!call_db(c, &e) ||
		!audit_end(c->s.db, c->audit.id, status, c->audit.description,
			c->audit.project, &e) ||
		(c->audit.also && !audit_end(c->s.db, c->audit.also, status,
					  c->audit.description, NULL, &e)))
		log_warn("audit row=%lld status=%d text=\"%s\"",
			(long long)c->audit.id, status, e.text);
	c->audit.id = c->audit.also = 0;
}

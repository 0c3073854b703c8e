/* audit.c - the audit log, newest first. */
#include "listing.h"
#include "audit.h"
#include "view_admin.h"

json_t *audit_get(struct call *c, struct err *e)
{
	struct audit_filter f = {
		.project = param_text(&c->params, "project", NULL),
		.who = param_text(&c->params, "actor", NULL),
		.since = param_moment(&c->params, "since"),
		.until = param_moment(&c->params, "until"),
		.limit = (int)param(&c->params, "limit")->whole,
	};
	struct audit_row *rows;
	uint32_t n;
	bool more;
	if (!listing_seek(c, &f.after, e) ||
		!audit_list(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++) {
		view_append(items, view_audit(&rows[i]));
		f.after = rows[i].id;
	}
	return listing_list(c, items, f.after, more);
}

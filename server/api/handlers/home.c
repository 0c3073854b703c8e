/* home.c - what the home page shows. */
#include "call.h"
#include "query_home.h"
#include "view.h"

json_t *home_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	const struct home_filter f = {
		.project = param_text(ps, "project", NULL),
		.workload = param_text(ps, "workload", NULL),
		.since = param_moment(ps, "since"),
		.until = param_moment(ps, "until"),
	};
	struct home is;
	if (!call_db(c, e) || !query_home(c->s.db, &c->s.arena, &f, &is, e))
		return NULL;
	return view_home(&is);
}

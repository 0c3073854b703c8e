/* fleet_asked.c - parameters become a filter. */
#include "fleet_asked.h"
#include "catalog_params.h"

/* A set has the figures that were published, and nothing to filter runs by. */
bool set_asked(const struct call *c, struct err *e)
{
	static const char *const runs[] = { "project", "workload", "framework",
		"platform", "since", "until" };
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		if (param(&c->params, runs[i])->given)
			return err_set(e, ERR_INPUT,
				"%s: a reference set knows nothing of it; "
				"leave "
				"it out, or set",
				runs[i]);
	return !c->params.labels ||
	       err_set(e, ERR_INPUT,
		       "label: a reference set has none; leave it out, or set");
}

/* The stored word: of the catalogue, or of runs from when it had it. */
static bool platform_asked(struct call *c, const struct catalog *k,
	const char **out, struct err *e)
{
	const char *name = param_text(&c->params, "platform", NULL);
	const struct fleet_filter f = { .platform = name,
		.project = reach_project(&c->s),
		.since = NO_MOMENT,
		.until = NO_MOMENT };
	const struct platform *known;
	struct fleet fleet;
	*out = name;
	if (!name || catalog_platform(k, name))
		return true;
	return query_fleet(c->s.db, &c->s.arena, &f, &fleet, e) &&
	       (fleet.cells_n || asked_platform(c, "platform", k, &known, e));
}

bool fleet_asked(struct call *c, const struct catalog *k,
	struct fleet_filter *f, struct err *e)
{
	const struct params *ps = &c->params;
	*f = (struct fleet_filter){
		.project = param_text(ps, "project", NULL),
		.workload = param_text(ps, "workload", NULL),
		.framework = param_text(ps, "framework", NULL),
		.labels = ps->labels,
		.since = asked_moment(c, "since"),
		.until = asked_moment(c, "until"),
	};
	return platform_asked(c, k, &f->platform, e) &&
	       asked_dtype(c, &f->dtype, e) && asked_run_phase(c, &f->phase, e);
}

/* devices.c - GPUs over many runs, and which of them are slow. */
#include "catalog_params.h"
#include "concurrency_limit.h"
#include "gpu_fleet.h"
#include "listing.h"
#include "view_operators.h"

json_t *devices_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	struct fleet_filter f = { .project = param_text(ps, "project", NULL),
		.workload = param_text(ps, "workload", NULL),
		.framework = param_text(ps, "framework", NULL),
		.labels = ps->labels,
		.since = param_moment(ps, "since"),
		.until = param_moment(ps, "until") };
	const struct param *verdict = param(ps, "verdict");
	const struct catalog *k = call_catalog(c, e);
	const struct platform *platform;
	struct gpu_fleet is;

	if (!k || !catalog_params_platform(c, "platform", k, &platform, e))
		return NULL;
	f.platform = platform ? platform->name : NULL;
	if (!concurrency_limit_enter(c, e) ||
		!gpu_fleet_from(c->s.db, &c->s.arena, &f, &is, e))
		return NULL;
	enum slow_gpu_verdict only =
		verdict->given ? (enum slow_gpu_verdict)verdict->whole
			       : SLOW_GPU_VERDICTS;
	return listing_is_json(c)
		       ? view_devices(&is, only)
		       : listing_file(c,
				 view_devices_table(&c->s.arena, &is, only),
				 "devices");
}

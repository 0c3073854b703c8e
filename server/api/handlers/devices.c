/* devices.c - GPUs over many runs, and which of them are slow. */
#include "catalog_params.h"
#include "concurrency_limit.h"
#include "gpu_fleet.h"
#include "listing.h"
#include "view_operators.h"

/* The GPUs with the verdict that the call names; all if it names none. */
static uint32_t devices_select(const struct gpu_fleet *f,
	const struct param *verdict, struct gpu_fleet_row *rows)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->n; i++)
		if (!verdict->given || f->rows[i].is.verdict == verdict->whole)
			rows[n++] = f->rows[i];
	return n;
}

static json_t *devices_answer(struct call *c, const struct gpu_fleet *f,
	int64_t offset, int limit)
{
	struct gpu_fleet_row *rows =
		arena_array(&c->s.arena, struct gpu_fleet_row, f->n);
	uint32_t n = devices_select(f, param(&c->params, "verdict"), rows);

	if (!listing_is_json(c))
		return listing_file(c, view_devices_table(&c->s.arena, rows, n),
			"devices");
	uint32_t from = offset < n ? (uint32_t)offset : n;
	uint32_t shown =
		n - from < (uint32_t)limit ? n - from : (uint32_t)limit;
	return listing_next(c, view_devices(f, rows + from, shown),
		from + shown, from + shown < n);
}

json_t *devices_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	struct fleet_filter f = { .project = param_text(ps, "project", NULL),
		.workload = param_text(ps, "workload", NULL),
		.framework = param_text(ps, "framework", NULL),
		.labels = ps->labels,
		.since = param_moment(ps, "since"),
		.until = param_moment(ps, "until") };
	const struct catalog *k = call_catalog(c, e);
	const struct platform *platform;
	struct gpu_fleet is;
	int64_t offset;
	int limit;

	if (!listing_read(c, &offset, &limit, e) || !k ||
		!catalog_params_platform(c, "platform", k, &platform, e))
		return NULL;
	f.platform = platform ? platform->name : NULL;
	return concurrency_limit_enter(c, e) &&
			       gpu_fleet_from(c->s.db, &c->s.arena, &f, &is, e)
		       ? devices_answer(c, &is, offset, limit)
		       : NULL;
}

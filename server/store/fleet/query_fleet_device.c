/* query_fleet_device.c - reads which GPU each run of a fleet used, and how long its
 * operators took there. */
#include "query_fleet.h"
#include "fleet_select.h"
#include "sql.h"
#include <math.h>

/* $8: how many runs. A device that executed nothing says nothing about the
 * run. */
static const char runs_sql[] =
	"SELECT r.run_id, r.project, r.workload, "
	"coalesce(r.platform, '') || ' ' || coalesce(d.name, '') || ' ' "
	"|| coalesce(d.sm_count::text, '') AS model, coalesce(r.platform, ''), "
	"coalesce(r.framework, ''), d.n, CASE WHEN d.n = 1 "
	"THEN coalesce(d.uuid, nullif(r.host, '') || ' ' || d.bus_id) END "
	"AS gpu, r.host, d.name, d.uuid, d.bus_id, d.sm_clock_mhz, "
	"d.throttled_pct "
	"FROM (SELECT * FROM run r WHERE " FLEET_RUNS
	"AND r.gpu_ns IS NOT NULL AND r.counted "
	"ORDER BY r.created_at DESC, r.run_id DESC LIMIT $8) r "
	"CROSS JOIN LATERAL (SELECT count(*) AS n, min(name) AS name, "
	"min(sm_count) AS sm_count, "
	"min(uuid) AS uuid, min(bus_id) AS bus_id, "
	"min(sm_clock_mhz) AS sm_clock_mhz, "
	"min(throttled_pct) AS throttled_pct "
	"FROM run_device WHERE run_id = r.run_id "
	"AND (launches > 0 OR busy_ns > 0)) d "
	"ORDER BY gpu, r.run_id";

static void query_fleet_device_run(struct result *r, struct arena *a,
	struct fleet_device_run *d)
{
	d->run = result_int8(r, 0);
	d->project = result_text(r, a);
	d->workload = result_text(r, a);
	d->model = result_text(r, a);
	d->platform = result_text(r, a);
	d->framework = result_text(r, a);
	d->devices = result_int8(r, 0);
	d->gpu = result_text(r, a);
	d->host = result_text(r, a);
	d->name = result_text(r, a);
	d->uuid = result_text(r, a);
	d->bus_id = result_text(r, a);
	d->sm_clock_mhz = result_float8(r, NAN);
	d->throttled_pct = result_float8(r, NAN);
}

static bool query_fleet_device_runs(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_devices *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;

	fleet_run_params(&p, f);
	sql_int8(&p, FLEET_DEVICE_RUNS);
	if (!sql_run(db, runs_sql, &p, &r, e))
		return false;
	out->runs = arena_array(a, struct fleet_device_run, (size_t)r.n);
	while (result_next(&r)) {
		struct fleet_device_run *d = &out->runs[out->runs_n++];
		query_fleet_device_run(&r, a, d);
		out->known_n += d->gpu != NULL;
	}
	result_release(&r);
	return true;
}

/* $1: the runs; $2 and $3: how many operators and shapes of each. Rows of one
 * shape that are attributed differently count once, as the one with most time. */
static const char shapes_sql[] =
	"SELECT DISTINCT ON (u.at, s.operator, s.shape_id) "
	"u.at - 1, o.operator, coalesce(o.dtype, ''), "
	"coalesce(o.phase, ''), s.shape_id, s.median_ns "
	"FROM unnest($1::bigint[]) WITH ORDINALITY u (run_id, at) "
	"JOIN run_operator o ON o.run_id = u.run_id AND o.rank < $2 "
	"JOIN run_shape s ON s.run_id = o.run_id AND s.operator = o.rank "
	"AND s.rank < $3 "
	"WHERE o.operator IS NOT NULL AND NOT o.collective "
	"AND s.shape_id IS NOT NULL AND s.median_ns > 0 "
	"ORDER BY u.at, s.operator, s.shape_id, s.rank";

static bool query_fleet_device_shapes(struct db *db, struct arena *a,
	struct fleet_devices *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;

	sql_array_init(&ids, SQL_INT8);
	for (uint32_t i = 0; i < out->known_n; i++)
		sql_array_int8(&ids, out->runs[i].run);
	sql_array(&p, &ids);
	sql_int4(&p, FLEET_DEVICE_OPERATORS);
	sql_int4(&p, FLEET_DEVICE_SHAPES);
	bool ok = sql_run(db, shapes_sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	out->shapes = arena_array(a, struct fleet_device_shape, (size_t)r.n);
	while (result_next(&r)) {
		struct fleet_device_shape *s = &out->shapes[out->shapes_n++];
		s->run = (uint32_t)result_int8(&r, 0);
		s->op = result_text(&r, a);
		s->dtype = result_text(&r, a);
		s->phase = result_text(&r, a);
		s->shape = result_int8(&r, 0);
		s->median_ns = result_float8(&r, NAN);
	}
	result_release(&r);
	return true;
}

static bool query_fleet_device_more(struct db *db, const struct fleet_filter *f,
	struct fleet_devices *out, struct err *e)
{
	static const char sql[] =
		"SELECT count(*) > $8 FROM (SELECT FROM run r WHERE " FLEET_RUNS
		"AND r.gpu_ns IS NOT NULL AND r.counted LIMIT $8 + 1) r";
	struct sql_params p = { 0 };
	struct result r;

	if (out->runs_n < FLEET_DEVICE_RUNS)
		return true;
	fleet_run_params(&p, f);
	sql_int8(&p, FLEET_DEVICE_RUNS);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	out->more = result_bool(&r);
	result_release(&r);
	return true;
}

struct query_fleet_device_request {
	struct arena *arena;
	const struct fleet_filter *filter;
	struct fleet_devices *out;
};

/* In one snapshot: a run that is analyzed again in between would have the
 * shapes of another result. */
static bool query_fleet_device_all(struct db *db, void *arg, struct err *e)
{
	const struct query_fleet_device_request *q = arg;

	*q->out = (struct fleet_devices){ 0 };
	/* With a plan of its own: sql_snapshot() makes generic plans, which cannot
	 * use an index for a filter that may be NULL. */
	return sql_script(db,
		       "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ "
		       "READ ONLY",
		       e) &&
	       query_fleet_device_runs(db, q->arena, q->filter, q->out, e) &&
	       query_fleet_device_more(db, q->filter, q->out, e) &&
	       query_fleet_device_shapes(db, q->arena, q->out, e);
}

bool query_fleet_devices(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_devices *out, struct err *e)
{
	struct query_fleet_device_request q = { a, f, out };
	return sql_transaction(db, query_fleet_device_all, &q, e);
}

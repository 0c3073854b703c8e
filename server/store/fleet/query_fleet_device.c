/* query_fleet_device.c - reads which GPUs each run of a fleet used, and how long its
 * operators took on each. */
#include "query_fleet.h"
#include "fleet_select.h"
#include "sql.h"
#include <math.h>

/* $9: how many runs on a GPU. A device that executed nothing says nothing about
 * the run. Without times by device, a run on several is of none of them. */
static const char runs_sql[] =
	"WITH newest AS (SELECT * FROM run r WHERE " FLEET_RUNS
	"AND r.gpu_ns IS NOT NULL AND r.counted "
	"ORDER BY r.created_at DESC, r.run_id DESC LIMIT $9 + 1), "
	"used AS MATERIALIZED (SELECT r.run_id, r.project, r.workload, "
	"coalesce(r.platform, '') AS platform, "
	"coalesce(r.framework, '') AS framework, r.host, r.created_at, "
	"r.content IN ('statistics', 'patterns') AS is_table, "
	"coalesce(d.devices, 0) AS devices, coalesce(d.nth, 1) AS nth, "
	"d.shapes IS NOT NULL AS by_device, d.number, d.name, d.sm_count, "
	"d.uuid, d.bus_id, d.sm_clock_mhz, d.throttled_pct, "
	"CASE WHEN d.devices = 1 OR d.shapes IS NOT NULL THEN d.gpu END AS gpu, "
	"d.identified_by "
	"FROM newest r "
	"LEFT JOIN LATERAL (SELECT l.*, count(*) OVER () AS devices, "
	"row_number() OVER (ORDER BY number) AS nth "
	"FROM device_line l WHERE l.run_id = r.run_id "
	"AND (launches > 0 OR busy_ns > 0)) d ON true "
	"WHERE coalesce(d.nth, 1) = 1 OR d.shapes IS NOT NULL), "
	"placed AS (SELECT *, row_number() OVER (ORDER BY created_at DESC, "
	"run_id DESC, nth) AS place, "
	"bool_or(gpu IS NOT NULL) OVER (PARTITION BY run_id) AS identified "
	"FROM used) "
	"SELECT run_id, nth = 1, project, workload, "
	"platform || ' ' || coalesce(name, '') || ' ' "
	"|| coalesce(sm_count::text, ''), platform, framework, devices, "
	"by_device AND devices > 1, is_table, identified, gpu, identified_by, number, "
	"host, name, uuid, bus_id, sm_clock_mhz, throttled_pct, "
	"(SELECT count(*) FROM used) > $9 "
	"FROM placed WHERE place <= $9 "
	"ORDER BY gpu, run_id, number";

static void query_fleet_device_run(struct result *r, struct arena *a,
	struct fleet_device_run *d)
{
	d->run = result_int8(r, 0);
	d->first = result_bool(r);
	d->project = result_text(r, a);
	d->workload = result_text(r, a);
	d->model = result_text(r, a);
	d->platform = result_text(r, a);
	d->framework = result_text(r, a);
	d->devices = result_int8(r, 0);
	d->by_device = result_bool(r);
	d->is_table = result_bool(r);
	d->identified = result_bool(r);
	d->gpu = result_text(r, a);
	d->identified_by = result_text(r, a);
	d->number = result_int4(r, -1);
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
		out->more = result_bool(&r);
	}
	result_release(&r);
	return true;
}

/* $1: the runs; $2: their devices, NULL if the run has one; $3 and $4: how many
 * operators and shapes of each. Rows of one shape that are attributed differently
 * count once, as the one with most time. */
static const char shapes_sql[] =
	"SELECT DISTINCT ON (u.at, s.operator, s.shape_id) "
	"u.at - 1, o.operator, coalesce(o.dtype, ''), "
	"coalesce(o.phase, ''), s.shape_id, "
	"CASE WHEN u.device IS NULL THEN s.median_ns ELSE d.median_ns END "
	"FROM unnest($1::bigint[], $2::bigint[]) "
	"WITH ORDINALITY u (run_id, device, at) "
	"JOIN run_operator o ON o.run_id = u.run_id AND o.rank < $3 "
	"JOIN run_shape s ON s.run_id = o.run_id AND s.operator = o.rank "
	"AND s.rank < $4 "
	"LEFT JOIN run_device_shape d ON d.run_id = u.run_id "
	"AND d.device = u.device AND d.operator = s.operator "
	"AND d.rank = s.rank "
	"WHERE o.operator IS NOT NULL AND NOT o.collective "
	"AND s.shape_id IS NOT NULL "
	"AND CASE WHEN u.device IS NULL THEN s.median_ns ELSE d.median_ns END > 0 "
	"ORDER BY u.at, s.operator, s.shape_id, s.rank";

/* The runs of known GPUs, and their devices. */
static void query_fleet_device_keys(const struct fleet_devices *of,
	struct sql_array *ids, struct sql_array *devices)
{
	sql_array_init(ids, SQL_INT8);
	sql_array_init(devices, SQL_INT8);
	for (uint32_t i = 0; i < of->known_n; i++) {
		sql_array_int8(ids, of->runs[i].run);
		if (of->runs[i].by_device)
			sql_array_int8(devices, of->runs[i].number);
		else
			sql_array_add(devices, NULL, SQL_NULL);
	}
}

static bool query_fleet_device_shapes(struct db *db, struct arena *a,
	struct fleet_devices *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array ids, devices;
	struct result r;

	query_fleet_device_keys(out, &ids, &devices);
	sql_array(&p, &ids);
	sql_array(&p, &devices);
	sql_int4(&p, DEVICE_SHAPE_OPERATORS);
	sql_int4(&p, DEVICE_SHAPES);
	bool ok = sql_run(db, shapes_sql, &p, &r, e);
	sql_array_release(&ids);
	sql_array_release(&devices);
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
	       query_fleet_device_shapes(db, q->arena, q->out, e);
}

bool query_fleet_devices(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet_devices *out, struct err *e)
{
	struct query_fleet_device_request q = { a, f, out };
	return sql_transaction(db, query_fleet_device_all, &q, e);
}

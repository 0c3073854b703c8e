/* query_energy.c - reads the energy that the devices of a run used in its
 * iterations, and that of operators on them. */
#include "column.h"
#include "packed.h"
#include "query.h"
#include "sql.h"
#include <math.h>

struct query_energy_request {
	struct arena *arena;
	int64_t run;
	struct energy_use *out;
	int32_t iterations; /* all of the run */
};

static bool query_energy_iterations(struct db *db,
	struct query_energy_request *q, struct err *e)
{
	static const char sql[] = "SELECT count(*)::int "
				  "FROM run_iteration "
				  "WHERE run_id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, q->run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	q->iterations = result_int4(&r, 0);
	q->out->iterations_n = (uint32_t)q->iterations;
	result_release(&r);
	return true;
}

/* Reads three packed columns; false if they do not fit the iterations. */
static bool query_energy_single(struct result *r,
	const struct query_energy_request *q, struct device_energy *d)
{
	uint32_t n = (uint32_t)q->iterations;
	double **to[] = { &d->iteration_j, &d->iteration_low_j,
		&d->iteration_high_j };
	bool ok = true;
	for (int i = 0; i < 3; i++) {
		size_t len;
		const void *bytes = result_bytes(r, &len);
		if (!bytes)
			continue;
		*to[i] = arena_array(q->arena, double, n + 1);
		ok = ok && *to[i] && packed_read(bytes, len, *to[i], n);
	}
	return ok && d->first + d->iterations <= n;
}

static bool query_energy_devices(struct db *db, struct query_energy_request *q,
	struct err *e)
{
	static const char sql[] =
		"SELECT device, counter, samples, ignored, gaps, interval_ns, "
		"first_iteration, iterations, span_ns, energy_j, low_j, high_j, reason, "
		"iteration_j, iteration_low_j, iteration_high_j, "
		"idle_w, idle_low_w, idle_high_w, operators_reason "
		"FROM run_energy "
		"WHERE run_id = $1 "
		"ORDER BY device";
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_int8(&p, q->run);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	struct arena *a = q->arena;
	q->out->devices = arena_array(a, struct device_energy, (size_t)r.n + 1);
	while (ok && q->out->devices && result_next(&r)) {
		struct device_energy *d = &q->out->devices[q->out->n++];
		d->device = result_int4(&r, 0);
		d->counter = result_text(&r, a);
		d->samples = result_int8(&r, 0);
		d->ignored = result_int8(&r, 0);
		d->gaps = result_int8(&r, 0);
		d->interval_ns = result_int8(&r, -1);
		d->first = (uint32_t)result_int4(&r, 0);
		d->iterations = (uint32_t)result_int4(&r, 0);
		d->span_ns = result_int8(&r, -1);
		d->energy_j = result_float8(&r, NAN);
		d->low_j = result_float8(&r, NAN);
		d->high_j = result_float8(&r, NAN);
		d->why = result_text(&r, a);
		ok = query_energy_single(&r, q, d);
		d->idle_w = result_float8(&r, NAN);
		d->idle_low_w = result_float8(&r, NAN);
		d->idle_high_w = result_float8(&r, NAN);
		d->operators_why = result_text(&r, a);
	}
	result_release(&r);
	if (!q->out->devices)
		return arena_err(a, e);
	return ok || err_set(e, ERR_INTERNAL,
			     "the energy of run %lld does not fit its "
			     "iterations; 'kernsiftd rebuild' makes it again",
			     (long long)q->run);
}

/* Gives a row to its device; false if the run has no such device. */
static bool query_energy_operator(struct result *r,
	const struct query_energy_request *q, struct operator_energy *o)
{
	int32_t device = result_int4(r, 0);
	o->operator_ = (uint32_t)result_int4(r, 0);
	o->name = result_text(r, q->arena);
	o->dtype = column_dtype(r, q->arena);
	o->phase = column_phase(r, q->arena);
	o->time_ns = result_int8(r, 0);
	o->energy_j = result_float8(r, NAN);
	o->low_j = result_float8(r, NAN);
	o->high_j = result_float8(r, NAN);
	o->why = result_text(r, q->arena);
	for (uint32_t i = 0; i < q->out->n; i++) {
		struct device_energy *d = &q->out->devices[i];
		if (d->device != device)
			continue;
		d->operators = d->operators_n ? d->operators : o;
		d->operators_n++;
		return true;
	}
	return false;
}

/* Requires the devices. */
static bool query_energy_operators(struct db *db,
	struct query_energy_request *q, struct err *e)
{
	static const char sql[] =
		"SELECT device, rank, operator, dtype, phase, time_ns, "
		"energy_j, low_j, high_j, reason "
		"FROM run_energy_operator "
		"WHERE run_id = $1 "
		"ORDER BY device, time_ns DESC, rank";
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_int8(&p, q->run);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	struct operator_energy *rows =
		arena_array(q->arena, struct operator_energy, (size_t)r.n + 1);
	for (uint32_t i = 0; ok && rows && result_next(&r); i++)
		ok = query_energy_operator(&r, q, &rows[i]);
	result_release(&r);
	if (!rows)
		return arena_err(q->arena, e);
	return ok || err_set(e, ERR_INTERNAL,
			     "operators of run %lld have an energy on a device "
			     "that it does not have; 'kernsiftd rebuild' makes "
			     "it again",
			     (long long)q->run);
}

static bool query_energy_read(struct db *db, void *arg, struct err *e)
{
	struct query_energy_request *q = arg;

	*q->out = (struct energy_use){ 0 };
	return sql_snapshot(db, e) && query_energy_iterations(db, q, e) &&
	       query_energy_devices(db, q, e) &&
	       query_energy_operators(db, q, e);
}

bool query_energy(struct db *db, struct arena *a, int64_t run,
	struct energy_use *out, struct err *e)
{
	struct query_energy_request q = { .arena = a, .run = run, .out = out };

	return sql_transaction(db, query_energy_read, &q, e);
}

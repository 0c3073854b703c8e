/* query_detail.c - what else a run has: devices, copies, notes. */
#include "query.h"
#include "read_time.h"
#include "sql.h"

bool query_run_devices(struct db *db, struct arena *a, int64_t run,
	struct profile_device **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT number, name, sm_count, compute_major, "
		"compute_minor, memory_bytes, launches, busy_ns "
		"FROM run_device "
		"WHERE run_id = $1 "
		"ORDER BY number";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct profile_device, *n);
	for (struct profile_device *d = *rows; result_next(&r); d++) {
		d->number = result_int4(&r, 0);
		d->name = result_text(&r, a);
		d->sm_count = result_int4(&r, -1);
		d->compute_major = result_int4(&r, -1);
		d->compute_minor = result_int4(&r, -1);
		d->memory_bytes = result_int8(&r, -1);
		d->launches = result_int8(&r, -1);
		d->busy_ns = result_int8(&r, -1);
	}
	result_release(&r);
	return true;
}

bool query_run_platform(struct db *db, struct arena *a, int64_t run,
	const char **platform, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, "SELECT platform FROM run WHERE run_id = $1", &p, &r,
		    e))
		return false;
	*platform = result_next(&r) ? result_text(&r, a) : NULL;
	result_release(&r);
	return true;
}

bool query_copies(struct db *db, struct arena *a, int64_t run, enum split split,
	struct copy_stat **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT operation, device, " READ_TIME_COLUMNS ", time_pct, "
		"bytes, sized "
		"FROM run_copy "
		"WHERE run_id = $1 AND split = $2 "
		"ORDER BY rank";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	sql_int4(&p, (int32_t)split);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct copy_stat, *n);
	for (struct copy_stat *c = *rows; result_next(&r); c++) {
		c->operation = result_text(&r, a);
		c->split = split;
		c->device = result_int4(&r, -1);
		read_time(&r, &c->time);
		c->time_pct = result_float8(&r, NAN);
		c->bytes = result_int8(&r, 0);
		c->sized = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

/* A note that a newer program stored still says what it is called. */
static const char *sentence(struct arena *a, const struct note_row *n,
	const char *detail)
{
	enum note_code code = note_from(n->code);
	if (code == NOTE_CODES)
		return arena_printf(a, "%lld times '%s'", (long long)n->count,
			n->code);
	return note_sentence(a, code, n->count, detail);
}

bool query_notes(struct db *db, struct arena *a, int64_t run,
	struct note_row **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT code, severity, count, detail "
		"FROM run_note "
		"WHERE run_id = $1 "
		"ORDER BY array_position("
		"ARRAY['error', 'loss', 'warn', 'info'], severity), code";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, run);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct note_row, *n);
	for (struct note_row *note = *rows; result_next(&r); note++) {
		note->code = result_text(&r, a);
		note->severity = result_text(&r, a);
		note->count = result_int8(&r, 0);
		note->message = sentence(a, note, result_text(&r, a));
	}
	result_release(&r);
	return true;
}

/* rollup_read.c - a stored run, read for what it added to the sums; and when
 * runs add and take back. */
#include "read_shape.h"
#include "rollup_delta.h"
#include "query_operator.h"
#include "sql.h"

static bool read_keys(struct db *db, struct arena *a, struct rollup_run *out,
	uint32_t rows, struct err *e)
{
	static const char sql[] =
		"SELECT k.id FROM run_operator o "
		"LEFT JOIN operator_key k "
		"ON coalesce(k.operator, '') = coalesce(o.operator, '') "
		"AND coalesce(k.dtype, '') = coalesce(o.dtype, '') "
		"AND coalesce(k.phase, '') = coalesce(o.phase, '') "
		"WHERE o.run_id = $1 "
		"ORDER BY o.rank";
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_int8(&p, out->id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	int64_t *keys = arena_array(a, int64_t, rows);
	for (uint32_t i = 0; i < rows; i++) {
		keys[i] = result_next(&r) ? result_int8(&r, 0) : 0;
		ok &= keys[i] > 0;
	}
	result_release(&r);
	out->keys = keys;
	return ok || err_set(e, ERR_INTERNAL,
			     "operators of run %lld are in no dictionary",
			     (long long)out->id);
}

static bool read_shapes(struct db *db, struct arena *a, struct rollup_run *out,
	struct operators *o, struct err *e)
{
	static const char sql[] =
		"SELECT " READ_SHAPE_COLUMNS ", shape_id "
		"FROM (SELECT *, NULL::text AS sizes FROM run_shape "
		"WHERE run_id = $1) s "
		"ORDER BY operator, rank";
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_int8(&p, out->id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	o->shapes_n = (uint32_t)r.n;
	o->shapes = arena_array(a, struct shape_stat, o->shapes_n);
	int64_t *ids = arena_array(a, int64_t, o->shapes_n);
	for (uint32_t i = 0; result_next(&r); i++) {
		ok &= read_shape(&r, a, &o->shapes[i]) &&
		      o->shapes[i].operator_ < o->n;
		ids[i] = result_int8(&r, 0);
	}
	result_release(&r);
	out->shapes = ids;
	return ok ||
	       err_set(e, ERR_INTERNAL, "the shapes of run %lld cannot be read",
		       (long long)out->id);
}

/* False where nothing is wrong, too: the run adds nothing. */
static bool read_weight(struct db *db, struct rollup_run *out, bool *there,
	struct err *e)
{
	static const char sql[] = "SELECT weight_uh FROM run "
				  "WHERE run_id = $1 AND gpu_ns IS NOT NULL "
				  "AND counted";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, out->id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*there = result_next(&r);
	out->weight_uh = *there ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

bool rollup_read(struct db *db, struct arena *a, int64_t run,
	struct rollup_run *out, bool *there, struct err *e)
{
	struct run_operators is;
	struct operators *o = arena_new(a, struct operators);
	*out = (struct rollup_run){ .id = run, .operators = o };
	if (!read_weight(db, out, there, e))
		return false;
	if (!*there)
		return true;
	if (!query_operators(db, a, run, &is, e))
		return false;
	o->gpu_ns = is.gpu_ns;
	o->rows = is.rows;
	o->n = is.n;
	return read_keys(db, a, out, is.n, e) && read_shapes(db, a, out, o, e);
}

bool rollup_save(struct db *db, const struct derived_run *runs, uint32_t n,
	struct err *e)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rollup_run run = { .id = runs[i].id,
			.operators = &runs[i].profile->operators,
			.keys = runs[i].keys,
			.shapes = runs[i].shapes };
		bool there;
		if (!run.id || !run.operators->n)
			continue;
		if (!read_weight(db, &run, &there, e) ||
			(there && !rollup_post(db, &run, 1, e)))
			return false;
	}
	return true;
}

bool rollup_take_back(struct db *db, int64_t run, struct err *e)
{
	struct arena a = { 0 };
	struct rollup_run is;
	bool there;
	bool ok = rollup_read(db, &a, run, &is, &there, e) &&
		  (!there || rollup_post(db, &is, -1, e));
	arena_release(&a);
	return ok;
}

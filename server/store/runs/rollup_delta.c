/* rollup_delta.c - turns a run into signed sums. */
#include "rollup_delta.h"
#include "column.h"
#include "query_operator.h"
#include "rollup_code.h"
#include "sql.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* g * v, or 0 if that exceeds the maximum that is summed. */
static int128 rollup_delta_times(int128 g, int128 v)
{
	int128 most = (int128)1 << 110, product;
	return __builtin_mul_overflow(g, v, &product) || product > most
		       ? 0
		       : product;
}

/* Where rollup_shape_term() adds the terms of one row. */
struct rollup_shape_adding {
	struct ledger *to;
	struct ledger_row *row;
	int sign;
};

static void rollup_shape_term(const struct rollup_shape_adding *w, int code,
	int128 v)
{
	if (v)
		ledger_add(w->to, w->row, code, w->sign < 0 ? -v : v);
}

static void rollup_shape_add_link(const struct rollup_shape_adding *w,
	const struct link_use *u, int128 calls)
{
	rollup_shape_term(w, (int)SHAPE_LINK_KIND + (int)u->kind, calls);
	rollup_shape_term(w, SHAPE_LINK_BYTES,
		rollup_delta_times(calls, u->bytes));
	rollup_shape_term(w, SHAPE_LINK_RANKS,
		rollup_delta_times(calls, u->ranks));
	rollup_shape_term(w, SHAPE_LINK_NODES,
		rollup_delta_times(calls, u->nodes));
}

static void rollup_shape_add_cost(const struct rollup_shape_adding *w,
	const struct shape_stat *s)
{
	int128 calls = s->call.instances;
	if (s->costed) {
		rollup_shape_term(w, SHAPE_COSTED, calls);
		rollup_shape_term(w, SHAPE_READ,
			rollup_delta_times(calls, (int128)s->cost.read_bytes));
		rollup_shape_term(w, SHAPE_WRITE,
			rollup_delta_times(calls, (int128)s->cost.write_bytes));
		for (int d = 0; d < DTYPES; d++)
			rollup_shape_term(w, SHAPE_FLOPS + d,
				rollup_delta_times(calls,
					(int128)s->cost.flops[d]));
		if (s->cost.link.kind)
			rollup_shape_add_link(w, &s->cost.link, calls);
	}
	/* A bound of 1e16 ns (115 days) or more is not counted. */
	if (s->sol_ns < 1e16) {
		rollup_shape_term(w, SHAPE_BOUND, calls);
		rollup_shape_term(w, SHAPE_SOL,
			rollup_delta_times(calls,
				(int128)round(s->sol_ns * 1e3)));
		if (s->leg == LEG_COMPUTE)
			rollup_shape_term(w, SHAPE_COMPUTE, calls);
	}
}

void rollup_delta_shape(struct ledger *l, const struct shape_stat *s,
	int64_t id, int64_t weight_uh, bool first, int sign)
{
	struct rollup_shape_adding to = { l, ledger_row(l, id), sign },
				   *w = &to;
	rollup_shape_term(w, SHAPE_RUNS, first);
	rollup_shape_term(w, SHAPE_LAUNCHES, s->launches);
	rollup_shape_term(w, SHAPE_CALLS, s->call.instances);
	rollup_shape_term(w, SHAPE_TOTAL, s->call.total_ns);
	rollup_shape_term(w, SHAPE_W_TOTAL,
		rollup_delta_times(weight_uh, s->call.total_ns));
	rollup_shape_add_cost(w, s);
	if (isfinite(s->sol_ns) && s->headroom_ns >= 0) {
		rollup_shape_term(w, SHAPE_HEADROOM_CALLS, s->call.instances);
		rollup_shape_term(w, SHAPE_W_HEADROOM,
			rollup_delta_times(weight_uh, s->headroom_ns));
	}
	for (uint32_t k = 0; k < s->buckets_n; k++)
		rollup_shape_term(w, SHAPE_BUCKET + s->bucket[k],
			s->bucket_calls[k]);
}

struct rollup_delta_writing {
	struct arena arena;
	const struct rollup_run *run;
	int sign;
	struct ledger sums;
	struct ledger *shapes; /* by operator row */
};

enum { BLOB_MAX = 1 << 29 };

static void rollup_delta_term(const struct rollup_delta_writing *p,
	struct ledger *l, struct ledger_row *row, int code, int128 v)
{
	if (v)
		ledger_add(l, row, code, p->sign < 0 ? -v : v);
}

static bool rollup_delta_same_name(const struct operator_stat *x,
	const struct operator_stat *y)
{
	return x->name && y->name ? !strcmp(x->name, y->name)
				  : x->name == y->name;
}

/* For each way of counting runs: whether this row counts the run. */
static void rollup_delta_add_runs(struct rollup_delta_writing *p,
	struct ledger_row *row, uint32_t i)
{
	const struct operator_stat *rows = p->run->operators->rows;
	bool any = true, dtype = true, phase = true;
	for (uint32_t k = 0; k < i; k++) {
		if (!rollup_delta_same_name(&rows[k], &rows[i]))
			continue;
		any = false;
		dtype &= rows[k].dtype != rows[i].dtype;
		phase &= rows[k].phase != rows[i].phase;
	}
	rollup_delta_term(p, &p->sums, row, KEY_RUNS, any);
	rollup_delta_term(p, &p->sums, row, KEY_RUNS_DTYPE, dtype);
	rollup_delta_term(p, &p->sums, row, KEY_RUNS_PHASE, phase);
	rollup_delta_term(p, &p->sums, row, KEY_RUNS_BOTH, 1);
}

/* FLOPs and bytes of the calls whose T_SOL is known. */
static void rollup_delta_work_of(const struct operators *o, uint32_t row,
	int128 *flops, int128 *bytes)
{
	*flops = *bytes = 0;
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[i];
		if (s->operator_ != row || !derived_bound(s))
			continue;
		int128 calls = s->call.instances;
		for (int d = 0; d < DTYPES; d++)
			*flops += rollup_delta_times(calls,
				(int128)s->cost.flops[d]);
		*bytes += rollup_delta_times(calls,
			(int128)s->cost.read_bytes +
				(int128)s->cost.write_bytes);
	}
}

static void rollup_delta_add_operator(struct rollup_delta_writing *p,
	uint32_t i)
{
	const struct operators *o = p->run->operators;
	const struct operator_stat *s = &o->rows[i];
	struct ledger *l = &p->sums;
	struct ledger_row *row = ledger_row(l, p->run->keys[i]);
	int128 g = p->run->weight_uh, flops, bytes;
	rollup_delta_work_of(o, i, &flops, &bytes);
	rollup_delta_add_runs(p, row, i);
	rollup_delta_term(p, l, row, KEY_LAUNCHES, s->launches);
	rollup_delta_term(p, l, row, KEY_CALLS, s->calls);
	rollup_delta_term(p, l, row, KEY_BOUND_CALLS, s->bound_calls);
	rollup_delta_term(p, l, row, KEY_TOTAL, s->total_ns);
	if (o->gpu_ns > 0)
		rollup_delta_term(p, l, row, KEY_SHARE,
			s->total_ns * (int128)1000000000000 / o->gpu_ns);
	rollup_delta_term(p, l, row, KEY_W_TOTAL,
		rollup_delta_times(g, s->total_ns));
	rollup_delta_term(p, l, row, KEY_W_SIZED,
		rollup_delta_times(g, s->sized_ns));
	rollup_delta_term(p, l, row, KEY_W_BOUND,
		rollup_delta_times(g, s->bound_ns));
	rollup_delta_term(p, l, row, KEY_W_SOL,
		rollup_delta_times(g, s->sheet.sol_ps));
	rollup_delta_term(p, l, row, KEY_W_COMPUTE,
		rollup_delta_times(g, s->sheet.compute_ns));
	rollup_delta_term(p, l, row, KEY_W_HEADROOM,
		rollup_delta_times(g, s->sheet.headroom_ns));
	rollup_delta_term(p, l, row, KEY_W_OVER,
		rollup_delta_times(g, s->sheet.over_ns));
	rollup_delta_term(p, l, row, KEY_W_FLOPS, rollup_delta_times(g, flops));
	rollup_delta_term(p, l, row, KEY_W_BYTES, rollup_delta_times(g, bytes));
}

/* A shape of the run, for sorting by id. */
struct rollup_delta_place {
	int64_t id;
	uint32_t i;
};

static int rollup_delta_by_id(const void *a, const void *b)
{
	const struct rollup_delta_place *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

/* Adds in the order of ids, because inserting a row between others moves all
 * rows after it. */
static void rollup_delta_add_shapes(struct rollup_delta_writing *p)
{
	const struct operators *o = p->run->operators;
	struct rollup_delta_place *by =
		arena_array(&p->arena, struct rollup_delta_place, o->shapes_n);
	for (uint32_t i = 0; i < o->shapes_n; i++)
		by[i] = (struct rollup_delta_place){ p->run->shapes[i], i };
	if (o->shapes_n)
		qsort(by, o->shapes_n, sizeof *by, rollup_delta_by_id);
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[by[i].i];
		struct ledger *l = &p->shapes[s->operator_];
		/* the run's first one with these sizes */
		bool first = !ledger_row(l, by[i].id)->n;
		rollup_delta_shape(l, s, by[i].id, p->run->weight_uh, first,
			p->sign);
	}
}

static void rollup_delta_fill(struct rollup_delta_writing *p)
{
	const struct operators *o = p->run->operators;
	struct ledger_row *cell = ledger_row(&p->sums, 0);
	rollup_delta_term(p, &p->sums, cell, CELL_RUNS, 1);
	rollup_delta_term(p, &p->sums, cell, CELL_WEIGHT, p->run->weight_uh);
	rollup_delta_term(p, &p->sums, cell, CELL_GPU, o->gpu_ns);
	rollup_delta_term(p, &p->sums, cell, CELL_W_GPU,
		rollup_delta_times(p->run->weight_uh, o->gpu_ns));
	for (uint32_t i = 0; i < o->n; i++)
		rollup_delta_add_operator(p, i);
	p->shapes = arena_array(&p->arena, struct ledger, o->n);
	for (uint32_t i = 0; i < o->n; i++)
		p->shapes[i].arena = &p->arena;
	rollup_delta_add_shapes(p);
}

/* Writes for each operator row: its key, the length of its ledger, the
 * ledger. */
static void rollup_delta_write_shapes(const struct rollup_delta_writing *p,
	struct buf *b)
{
	struct buf one;
	for (uint32_t i = 0; i < p->run->operators->n; i++) {
		buf_init(&one, BLOB_MAX);
		ledger_write(&p->shapes[i], &one);
		int128_put(b, p->run->keys[i]);
		int128_put(b, (int128)one.len);
		buf_add(b, one.at, one.len);
		buf_release(&one);
	}
}

#define DELTA_DAY "(r.created_at AT TIME ZONE 'UTC')::date - date '1970-01-01'"
/* The cell as jsonb, which separates the names unambiguously. */
#define DELTA_CELL                                                     \
	"sha256(convert_to(jsonb_build_array(r.project, r.workload, "  \
	"coalesce(r.platform, ''), coalesce(r.framework, ''))::text, " \
	"'UTF8'))"

static bool rollup_delta_insert(struct db *db, int64_t run,
	const struct buf *sums, const struct buf *shapes, int sign,
	struct err *e)
{
	static const char delta[] =
		"INSERT INTO rollup_delta (run_id, day, cell, project, "
		"workload, platform, framework, sums, shapes) "
		"SELECT r.run_id, " DELTA_DAY ", " DELTA_CELL
		", r.project, r.workload, "
		"coalesce(r.platform, ''), coalesce(r.framework, ''), $2, $3 "
		"FROM run r WHERE r.run_id = $1";
	static const char kernels[] =
		"INSERT INTO rollup_delta_kernel (run_id, kernel_id, runs, "
		"launches, total_ns) "
		"SELECT run_id, kernel_id, $2, $2 * launches, $2 * total_ns "
		"FROM run_unattributed WHERE run_id = $1";
	struct sql_params p = { 0 }, k = { 0 };
	if (sums->full || shapes->full)
		return err_set(e, ERR_TOO_LARGE,
			"run %lld has more shapes than can be summed",
			(long long)run);
	sql_int8(&p, run);
	sql_bytes(&p, sums->at, sums->len);
	sql_bytes(&p, shapes->len ? shapes->at : "", shapes->len);
	sql_int8(&k, run);
	sql_int8(&k, sign);
	return sql_hot(db, delta, &p, NULL, e) &&
	       sql_hot(db, kernels, &k, NULL, e);
}

bool rollup_delta_add(struct db *db, const struct rollup_run *run, int sign,
	struct err *e)
{
	struct rollup_delta_writing p = { .run = run, .sign = sign };
	struct buf sums, shapes;
	p.sums.arena = &p.arena;
	rollup_delta_fill(&p);
	buf_init(&sums, BLOB_MAX);
	buf_init(&shapes, BLOB_MAX);
	ledger_write(&p.sums, &sums);
	rollup_delta_write_shapes(&p, &shapes);
	bool ok = rollup_delta_insert(db, run->id, &sums, &shapes, sign, e);
	buf_release(&sums);
	buf_release(&shapes);
	arena_release(&p.arena);
	return ok;
}

static bool rollup_delta_read_keys(struct db *db, struct arena *a,
	struct rollup_run *out, uint32_t rows, struct err *e)
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

static bool rollup_delta_read_shapes(struct db *db, struct arena *a,
	struct rollup_run *out, struct operators *o, struct err *e)
{
	static const char sql[] =
		"SELECT " SHAPE_COLUMNS ", shape_id "
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
		ok &= column_read_shape(&r, a, &o->shapes[i]) &&
		      o->shapes[i].operator_ < o->n;
		ids[i] = result_int8(&r, 0);
	}
	result_release(&r);
	out->shapes = ids;
	return ok ||
	       err_set(e, ERR_INTERNAL, "the shapes of run %lld cannot be read",
		       (long long)out->id);
}

/* *there is false if the run adds nothing. */
static bool rollup_delta_read_weight(struct db *db, struct rollup_run *out,
	bool *there, struct err *e)
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

bool rollup_delta_read(struct db *db, struct arena *a, int64_t run,
	struct rollup_run *out, bool *there, struct err *e)
{
	struct run_operators is;
	struct operators *o = arena_new(a, struct operators);
	*out = (struct rollup_run){ .id = run, .operators = o };
	if (!rollup_delta_read_weight(db, out, there, e))
		return false;
	if (!*there)
		return true;
	if (!query_operators(db, a, run, &is, e))
		return false;
	o->gpu_ns = is.gpu_ns;
	o->rows = is.rows;
	o->n = is.n;
	return rollup_delta_read_keys(db, a, out, is.n, e) &&
	       rollup_delta_read_shapes(db, a, out, o, e);
}

bool rollup_delta_save(struct db *db, const struct derived_run *runs,
	uint32_t n, struct err *e)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rollup_run run = { .id = runs[i].id,
			.operators = &runs[i].profile->operators,
			.keys = runs[i].keys,
			.shapes = runs[i].shapes };
		bool there;
		if (!run.id || !run.operators->n)
			continue;
		if (!rollup_delta_read_weight(db, &run, &there, e) ||
			(there && !rollup_delta_add(db, &run, 1, e)))
			return false;
	}
	return true;
}

/* rollup_delta.c - a run becomes signed sums. */
#include "rollup_delta.h"
#include "derived_operator.h"
#include "rollup_code.h"
#include "rollup_shape.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

struct posting {
	struct arena arena;
	const struct rollup_run *run;
	int sign;
	struct ledger sums;
	struct ledger *shapes; /* by operator row */
};

enum { BLOB_MAX = 1 << 29 };

static void add(const struct posting *p, struct ledger *l,
	struct ledger_row *row, int code, int128 v)
{
	if (v)
		ledger_add(l, row, code, p->sign < 0 ? -v : v);
}

static bool same_name(const struct operator_stat *x,
	const struct operator_stat *y)
{
	return x->name && y->name ? !strcmp(x->name, y->name)
				  : x->name == y->name;
}

/* In which of the ways to count runs this row is the one that counts it. */
static void add_runs(struct posting *p, struct ledger_row *row, uint32_t i)
{
	const struct operator_stat *rows = p->run->operators->rows;
	bool any = true, dtype = true, phase = true;
	for (uint32_t k = 0; k < i; k++) {
		if (!same_name(&rows[k], &rows[i]))
			continue;
		any = false;
		dtype &= rows[k].dtype != rows[i].dtype;
		phase &= rows[k].phase != rows[i].phase;
	}
	add(p, &p->sums, row, KEY_RUNS, any);
	add(p, &p->sums, row, KEY_RUNS_DTYPE, dtype);
	add(p, &p->sums, row, KEY_RUNS_PHASE, phase);
	add(p, &p->sums, row, KEY_RUNS_BOTH, 1);
}

/* Of its calls whose T_SOL is known. */
static void work_of(const struct operators *o, uint32_t row, int128 *flops,
	int128 *bytes)
{
	*flops = *bytes = 0;
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[i];
		if (s->operator_ != row || !derived_bound(s))
			continue;
		int128 calls = s->call.instances;
		for (int d = 0; d < DTYPES; d++)
			*flops += rollup_times(calls, (int128)s->cost.flops[d]);
		*bytes += rollup_times(calls,
			(int128)s->cost.read_bytes +
				(int128)s->cost.write_bytes);
	}
}

static void add_operator(struct posting *p, uint32_t i)
{
	const struct operators *o = p->run->operators;
	const struct operator_stat *s = &o->rows[i];
	struct ledger *l = &p->sums;
	struct ledger_row *row = ledger_row(l, p->run->keys[i]);
	int128 g = p->run->weight_uh, flops, bytes;
	work_of(o, i, &flops, &bytes);
	add_runs(p, row, i);
	add(p, l, row, KEY_LAUNCHES, s->launches);
	add(p, l, row, KEY_CALLS, s->calls);
	add(p, l, row, KEY_BOUND_CALLS, s->bound_calls);
	add(p, l, row, KEY_TOTAL, s->total_ns);
	if (o->gpu_ns > 0)
		add(p, l, row, KEY_SHARE,
			s->total_ns * (int128)1000000000000 / o->gpu_ns);
	add(p, l, row, KEY_W_TOTAL, rollup_times(g, s->total_ns));
	add(p, l, row, KEY_W_SIZED, rollup_times(g, s->sized_ns));
	add(p, l, row, KEY_W_BOUND, rollup_times(g, s->bound_ns));
	add(p, l, row, KEY_W_SOL, rollup_times(g, s->sol_ps));
	add(p, l, row, KEY_W_COMPUTE, rollup_times(g, s->compute_ns));
	add(p, l, row, KEY_W_HEADROOM, rollup_times(g, s->headroom_ns));
	add(p, l, row, KEY_W_OVER, rollup_times(g, s->over_ns));
	add(p, l, row, KEY_W_FLOPS, rollup_times(g, flops));
	add(p, l, row, KEY_W_BYTES, rollup_times(g, bytes));
}

/* Shapes of the run by their id. */
struct place {
	int64_t id;
	uint32_t i;
};

static int by_id(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

/* By id: a row between others moves all behind it. */
static void add_shapes(struct posting *p)
{
	const struct operators *o = p->run->operators;
	struct place *by = arena_array(&p->arena, struct place, o->shapes_n);
	for (uint32_t i = 0; i < o->shapes_n; i++)
		by[i] = (struct place){ p->run->shapes[i], i };
	if (o->shapes_n)
		qsort(by, o->shapes_n, sizeof *by, by_id);
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[by[i].i];
		struct ledger *l = &p->shapes[s->operator_];
		/* the first of this run with these sizes */
		bool first = !ledger_row(l, by[i].id)->n;
		rollup_shape_add(l, s, by[i].id, p->run->weight_uh, first,
			p->sign);
	}
}

static void fill(struct posting *p)
{
	const struct operators *o = p->run->operators;
	struct ledger_row *cell = ledger_row(&p->sums, 0);
	add(p, &p->sums, cell, CELL_RUNS, 1);
	add(p, &p->sums, cell, CELL_WEIGHT, p->run->weight_uh);
	add(p, &p->sums, cell, CELL_GPU, o->gpu_ns);
	add(p, &p->sums, cell, CELL_W_GPU,
		rollup_times(p->run->weight_uh, o->gpu_ns));
	for (uint32_t i = 0; i < o->n; i++)
		add_operator(p, i);
	p->shapes = arena_array(&p->arena, struct ledger, o->n);
	for (uint32_t i = 0; i < o->n; i++)
		p->shapes[i].arena = &p->arena;
	add_shapes(p);
}

/* Of each operator row: its key, how many bytes follow, its ledger. */
static void write_shapes(const struct posting *p, struct buf *b)
{
	struct buf one;
	for (uint32_t i = 0; i < p->run->operators->n; i++) {
		buf_init(&one, BLOB_MAX);
		ledger_write(&p->shapes[i], &one);
		wide_put(b, p->run->keys[i]);
		wide_put(b, (int128)one.len);
		buf_add(b, one.at, one.len);
		buf_release(&one);
	}
}

#define DAY "(r.created_at AT TIME ZONE 'UTC')::date - date '1970-01-01'"
/* Names as jsonb, which tells apart where one ends and the next begins. */
#define CELL                                                           \
	"sha256(convert_to(jsonb_build_array(r.project, r.workload, "  \
	"coalesce(r.platform, ''), coalesce(r.framework, ''))::text, " \
	"'UTF8'))"

static bool insert(struct db *db, int64_t run, const struct buf *sums,
	const struct buf *shapes, int sign, struct err *e)
{
	static const char delta[] =
		"INSERT INTO rollup_delta (run_id, day, cell, project, "
		"workload, platform, framework, sums, shapes) "
		"SELECT r.run_id, " DAY ", " CELL ", r.project, r.workload, "
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

bool rollup_post(struct db *db, const struct rollup_run *run, int sign,
	struct err *e)
{
	struct posting p = { .run = run, .sign = sign };
	struct buf sums, shapes;
	p.sums.arena = &p.arena;
	fill(&p);
	buf_init(&sums, BLOB_MAX);
	buf_init(&shapes, BLOB_MAX);
	ledger_write(&p.sums, &sums);
	write_shapes(&p, &shapes);
	bool ok = insert(db, run->id, &sums, &shapes, sign, e);
	buf_release(&sums);
	buf_release(&shapes);
	arena_release(&p.arena);
	return ok;
}

/* fleet_runs.c - a fleet by labels: sums over the rows of its runs. */
#include "fleet_runs.h"
#include "fleet_select.h"
#include "profile_word.h"
#include "column.h"

#define CELL "project, workload, platform, framework"

void fleet_run_params(struct sql_params *p, const struct fleet_filter *f)
{
	struct fleet_days d = fleet_days(f);
	sql_text(p, f->project);
	sql_text(p, f->workload);
	sql_text(p, f->platform);
	sql_text(p, f->framework);
	sql_float8(p, d.since == INT32_MIN ? NAN : (double)d.since);
	sql_float8(p, d.until == INT32_MAX ? NAN : (double)d.until);
	sql_json(p, f->labels);
}

static bool cells(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	static const char sql[] =
		FLEET_CHOSEN "SELECT " CELL ", count(*), sum(g), sum(gpu_ns), "
			     "sum(g * gpu_ns) "
			     "FROM chosen GROUP BY " CELL " ORDER BY " CELL;
	struct sql_params p = { 0 };
	struct result r;
	fleet_run_params(&p, f);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	out->cells = arena_array(a, struct fleet_cell, (size_t)r.n);
	while (result_next(&r)) {
		struct fleet_cell *c = &out->cells[out->cells_n++];
		c->project = result_text(&r, a);
		c->workload = result_text(&r, a);
		c->platform = result_text(&r, a);
		c->framework = result_text(&r, a);
		c->runs = result_int8(&r, 0);
		c->weight = (double)result_numeric(&r) / 1e6;
		c->total_s = (double)result_numeric(&r) / 1e9;
		c->weighted_s = (double)result_numeric(&r) / 1e15;
	}
	result_release(&r);
	return true;
}

/* A run's rows of one operator are counted once: in the first of those asked
 * for. */
static const char rows_sql[] = FLEET_CHOSEN
	", o AS (SELECT c.project, c.workload, c.platform, c.framework, c.g, "
	"c.gpu_ns, o.*, row_number() OVER (PARTITION BY o.run_id, o.operator "
	"ORDER BY o.rank) AS nth "
	"FROM chosen c JOIN run_operator o ON o.run_id = c.run_id "
	"WHERE ($8 IS NULL OR o.operator = $8) "
	"AND ($9 IS NULL OR o.dtype = $9) "
	"AND ($10 IS NULL OR o.phase = $10)) "
	"SELECT " CELL ", operator, dtype, phase, "
	"count(*) FILTER (WHERE nth = 1), sum(launches)::bigint, "
	"sum(calls)::bigint, sum(bound_calls)::bigint, sum(total_ns), "
	"sum(CASE WHEN gpu_ns > 0 THEN "
	"div(total_ns * 1000000000000::numeric, gpu_ns) ELSE 0 END), "
	"sum(g * total_ns), sum(g * sized_ns), sum(g * bound_ns), "
	"sum(g * sol_ps), sum(g * compute_ns), sum(g * headroom_ns), "
	"sum(g * over_ns), sum(g * flops), sum(g * bytes) "
	"FROM o GROUP BY " CELL ", operator, dtype, phase "
	"ORDER BY " CELL ", operator, dtype, phase";

static bool of_cell(const struct fleet_cell *c, const char *const name[4])
{
	return !strcmp(c->project, name[0]) && !strcmp(c->workload, name[1]) &&
	       !strcmp(c->platform, name[2]) && !strcmp(c->framework, name[3]);
}

static void read_row(struct result *r, struct arena *a, struct fleet_row *row)
{
	row->operator= result_text(r, a);
	const char *dtype = result_text(r, a), *phase = result_text(r, a);
	if (dtype)
		row->dtype = dtype_from(dtype, strlen(dtype));
	if (phase)
		row->phase = (enum phase)read_word_of(phase, profile_word_phase,
			PHASES);
	row->runs = result_int8(r, 0);
	row->launches = result_int8(r, 0);
	row->calls = result_int8(r, 0);
	row->bound_calls = result_int8(r, 0);
	row->total_s = (double)result_numeric(r) / 1e9;
	row->share = (double)result_numeric(r) / 1e12;
	row->weighted_s = (double)result_numeric(r) / 1e15;
	row->sized_s = (double)result_numeric(r) / 1e15;
	row->bound_s = (double)result_numeric(r) / 1e15;
	row->sol_s = (double)result_numeric(r) / 1e15 / 1e3;
	row->compute_s = (double)result_numeric(r) / 1e15;
	row->headroom_s = (double)result_numeric(r) / 1e15;
	row->over_s = (double)result_numeric(r) / 1e15;
	row->flops = (double)result_numeric(r) / 1e6;
	row->bytes = (double)result_numeric(r) / 1e6;
}

static bool rows(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	uint32_t cell = 0;
	fleet_run_params(&p, f);
	sql_text(&p, f->operator);
	sql_text(&p, dtype_word(f->dtype));
	sql_text(&p, profile_word_phase[f->phase]);
	if (!sql_run(db, rows_sql, &p, &r, e))
		return false;
	out->rows = arena_array(a, struct fleet_row, (size_t)r.n);
	/* Both are in the order of cells, and read from one state. */
	while (result_next(&r)) {
		const char *name[4];
		for (int i = 0; i < 4; i++)
			name[i] = result_text(&r, a);
		while (!of_cell(&out->cells[cell], name))
			cell++;
		struct fleet_row *row = &out->rows[out->rows_n++];
		row->cell = cell;
		read_row(&r, a, row);
	}
	result_release(&r);
	return true;
}

struct reading {
	struct arena *arena;
	const struct fleet_filter *f;
	struct fleet *out;
};

static bool read_all(struct db *db, void *arg, struct err *e)
{
	struct reading *g = arg;
	*g->out = (struct fleet){ 0 };
	return sql_script(db,
		       "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ "
		       "READ ONLY",
		       e) &&
	       cells(db, g->arena, g->f, g->out, e) &&
	       rows(db, g->arena, g->f, g->out, e);
}

bool fleet_from_runs(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	struct reading g = { a, f, out };
	return sql_transaction(db, read_all, &g, e);
}

static bool count_runs(struct db *db, const char *sql,
	const struct fleet_filter *f, int64_t *n, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	fleet_run_params(&p, f);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*n = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

/* The fourth version of the analysis knows operators: where it found none, there
 * is no GPU work, and a rebuild finds none either. */
bool fleet_uncounted(struct db *db, const struct fleet_filter *f, int64_t *n,
	struct err *e)
{
	static const char sql[] =
		"SELECT count(*) FROM run r WHERE " FLEET_RUNS
		"AND r.gpu_ns IS NULL AND r.analysis_version < 4";
	return count_runs(db, sql, f, n, e);
}

bool fleet_left_out(struct db *db, const struct fleet_filter *f, int64_t *n,
	struct err *e)
{
	static const char sql[] = "SELECT count(*) FROM run r WHERE " FLEET_RUNS
				  "AND r.gpu_ns IS NOT NULL AND NOT r.counted";
	return count_runs(db, sql, f, n, e);
}

/* query_fleet.c - sums over runs: by operator, type, phase and cell.
 *
 * A cell is a combination of project, workload, platform and framework. Sums
 * are computed from the rollups and from the deltas that are not folded in yet.
 * If the filter has labels, or if the energy is read, sums are computed from the
 * runs themselves. */
#include "query_fleet.h"
#include "column.h"
#include "fleet_select.h"
#include "ledger.h"
#include "profile_word.h"
#include "rollup_code.h"
#include "sql.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CELL_COLUMNS "project, workload, platform, framework"

static bool fleet_runs_cells(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	static const char sql[] = FLEET_CHOSEN
		"SELECT " CELL_COLUMNS ", count(*), sum(g), sum(gpu_ns), "
		"sum(g * gpu_ns) "
		"FROM chosen GROUP BY " CELL_COLUMNS " ORDER BY " CELL_COLUMNS;
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

/* A run counts once per operator, in the first of its rows that the filter
 * selects. */
static const char fleet_runs_sql[] = FLEET_CHOSEN
	", o AS (SELECT c.project, c.workload, c.platform, c.framework, c.g, "
	"c.gpu_ns, o.*, row_number() OVER (PARTITION BY o.run_id, o.operator "
	"ORDER BY o.rank) AS nth "
	"FROM chosen c JOIN run_operator o ON o.run_id = c.run_id "
	"WHERE ($9 IS NULL OR o.operator = $9) "
	"AND ($10 IS NULL OR o.dtype = $10) "
	"AND ($11 IS NULL OR o.phase = $11)) "
	"SELECT " CELL_COLUMNS ", operator, dtype, phase, "
	"count(*) FILTER (WHERE nth = 1), sum(launches)::bigint, "
	"sum(calls)::bigint, sum(roofline_known_calls)::bigint, sum(total_ns), "
	"sum(CASE WHEN gpu_ns > 0 THEN "
	"div(total_ns * 1000000000000::numeric, gpu_ns) ELSE 0 END), "
	"sum(g * total_ns), sum(g * shape_known_ns), sum(g * roofline_known_ns), "
	"sum(g * sol_ps), sum(g * compute_ns), sum(g * headroom_ns), "
	"sum(g * above_bound_ns), sum(g * flops), sum(g * bytes) "
	"FROM o GROUP BY " CELL_COLUMNS ", operator, dtype, phase "
	"ORDER BY " CELL_COLUMNS ", operator, dtype, phase";

static bool fleet_runs_of_cell(const struct fleet_cell *c,
	const char *const name[4])
{
	return !strcmp(c->project, name[0]) && !strcmp(c->workload, name[1]) &&
	       !strcmp(c->platform, name[2]) && !strcmp(c->framework, name[3]);
}

static void fleet_runs_read_row(struct result *r, struct arena *a,
	struct fleet_row *row)
{
	row->op = result_text(r, a);
	row->dtype = column_dtype(r, a);
	row->phase = column_phase(r, a);
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

/* The parameters 1 to 11. */
static void fleet_runs_row_params(struct sql_params *p,
	const struct fleet_filter *f)
{
	fleet_run_params(p, f);
	sql_text(p, f->op);
	sql_text(p, dtype_word(f->dtype));
	sql_text(p, profile_word_phase[f->phase]);
}

static bool fleet_runs_rows(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	uint32_t cell = 0;
	fleet_runs_row_params(&p, f);
	if (!sql_run(db, fleet_runs_sql, &p, &r, e))
		return false;
	out->rows = arena_array(a, struct fleet_row, (size_t)r.n);
	/* Cells and rows have the same order and come from one snapshot. */
	while (result_next(&r)) {
		const char *name[4];
		for (int i = 0; i < 4; i++)
			name[i] = result_text(&r, a);
		while (!fleet_runs_of_cell(&out->cells[cell], name))
			cell++;
		struct fleet_row *row = &out->rows[out->rows_n++];
		row->cell = cell;
		fleet_runs_read_row(&r, a, row);
	}
	result_release(&r);
	return true;
}

/* The energy of each row. That of a run is its weight times the mean power of one
 * of its GPUs, in millionths of a millionth of a Wh: results are whole numbers, so
 * that their sums do not depend on an order.
 *
 * Within a run whose energy was divided by a fit (view run_power), an operator has
 * the energy that the fit gives to it on all devices, and the part of the idle
 * energy that corresponds to its GPU time. The others share the rest by GPU time. If
 * the fit gives more energy to operators than was measured, or if there are no others,
 * the parts are scaled so that they add up to the energy of the run. Without a fit, the
 * energy is divided by GPU time. */
static const char fleet_energy_sql[] = FLEET_CHOSEN
	", fit AS (SELECT run_id, rank, sum(energy_j ORDER BY device) AS j "
	"FROM run_energy_operator "
	"WHERE run_id IN (SELECT run_id FROM chosen) "
	"GROUP BY run_id, rank HAVING count(*) = count(energy_j)), "
	"o AS (SELECT c.*, o.operator, o.dtype, o.phase, "
	"o.total_ns::float8 AS ns, p.power_w, p.energy_j, p.idle_j, fit.j, "
	"sum(fit.j) OVER run AS fit_j, "
	"(sum(o.total_ns) FILTER (WHERE fit.j IS NULL) OVER run)::float8 "
	"AS rest_ns "
	"FROM chosen c JOIN run_power p ON p.run_id = c.run_id "
	"JOIN run_operator o ON o.run_id = c.run_id "
	"LEFT JOIN fit ON p.idle_j IS NOT NULL AND fit.run_id = o.run_id "
	"AND fit.rank = o.rank "
	"WINDOW run AS (PARTITION BY o.run_id ORDER BY o.rank "
	"ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)), "
	"parts AS (SELECT *, CASE WHEN idle_j IS NULL THEN ns "
	"ELSE idle_j * ns / gpu_ns + CASE WHEN j IS NOT NULL THEN j "
	"WHEN rest_ns > 0 THEN greatest(energy_j - idle_j - fit_j, 0) "
	"* ns / rest_ns ELSE 0 END END AS part FROM o), "
	"shares AS (SELECT *, part / nullif(sum(part) OVER (PARTITION BY run_id "
	"ORDER BY operator, dtype, phase "
	"ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), 0) AS share "
	"FROM parts) "
	"SELECT sum(round(g::float8 * power_w * coalesce(share, 0) * 1e6)::numeric) "
	"FROM shares WHERE ($9 IS NULL OR operator = $9) "
	"AND ($10 IS NULL OR dtype = $10) "
	"AND ($11 IS NULL OR phase = $11) "
	"GROUP BY " CELL_COLUMNS ", operator, dtype, phase "
	"ORDER BY " CELL_COLUMNS ", operator, dtype, phase";

/* The energy of cells: of all rows, also those that the filter does not select. */
static const char fleet_energy_cells_sql[] =
	FLEET_CHOSEN "SELECT sum(round(g::float8 * p.power_w * 1e6)::numeric) "
		     "FROM chosen c JOIN run_power p ON p.run_id = c.run_id "
		     "GROUP BY " CELL_COLUMNS " ORDER BY " CELL_COLUMNS;

static double fleet_energy_kwh(struct result *r)
{
	return (double)result_numeric(r) / 1e15;
}

/* The statements have the order of those of cells and rows, and read the same
 * snapshot. */
static bool fleet_energy_cells(struct db *db, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	fleet_run_params(&p, f);
	if (!sql_run(db, fleet_energy_cells_sql, &p, &r, e))
		return false;
	assert((uint32_t)r.n == out->cells_n);
	for (uint32_t i = 0; result_next(&r); i++)
		out->cells[i].energy_kwh = fleet_energy_kwh(&r);
	result_release(&r);
	return true;
}

static bool fleet_energy_rows(struct db *db, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	fleet_runs_row_params(&p, f);
	if (!sql_run(db, fleet_energy_sql, &p, &r, e))
		return false;
	assert((uint32_t)r.n == out->rows_n);
	for (uint32_t i = 0; result_next(&r); i++)
		out->rows[i].energy_kwh = fleet_energy_kwh(&r);
	result_release(&r);
	return true;
}

/* Runs that would match, but whose energy is unknown; and those whose energy is not
 * divided by a fit. */
static bool fleet_energy_runs(struct db *db, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	static const char sql[] = FLEET_CHOSEN
		"SELECT count(*) FILTER (WHERE p.run_id IS NULL "
		"OR c.gpu_ns = 0), "
		"count(*) FILTER (WHERE p.run_id IS NOT NULL "
		"AND c.gpu_ns > 0 AND p.idle_j IS NULL) "
		"FROM chosen c LEFT JOIN run_power p ON p.run_id = c.run_id";
	struct fleet_filter all = *f;
	struct sql_params p = { 0 };
	struct result r;
	all.energy = false;
	fleet_run_params(&p, &all);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	out->energy_unknown = result_int8(&r, 0);
	out->split_by_time = result_int8(&r, 0);
	result_release(&r);
	return true;
}

struct fleet_runs_request {
	struct arena *arena;
	const struct fleet_filter *f;
	struct fleet *out;
};

static bool fleet_runs_read_all(struct db *db, void *arg, struct err *e)
{
	struct fleet_runs_request *g = arg;
	*g->out = (struct fleet){ 0 };
	return sql_script(db,
		       "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ "
		       "READ ONLY",
		       e) &&
	       fleet_runs_cells(db, g->arena, g->f, g->out, e) &&
	       fleet_runs_rows(db, g->arena, g->f, g->out, e) &&
	       (!g->f->energy ||
		       (fleet_energy_cells(db, g->f, g->out, e) &&
			       fleet_energy_rows(db, g->f, g->out, e) &&
			       fleet_energy_runs(db, g->f, g->out, e)));
}

static bool fleet_from_runs(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	struct fleet_runs_request g = { a, f, out };
	return sql_transaction(db, fleet_runs_read_all, &g, e);
}

static bool fleet_runs_count(struct db *db, const char *sql,
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

/* Selected runs that were analyzed before operators were known, that is, before
 * version 4. A run without operators that a later version analyzed had no GPU
 * work. */
static bool fleet_runs_without_operators(struct db *db,
	const struct fleet_filter *f, int64_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT count(*) FROM run r WHERE " FLEET_RUNS
		"AND r.gpu_ns IS NULL AND r.analysis_version < 4";
	return fleet_runs_count(db, sql, f, n, e);
}

/* Runs whose kernel names lag behind their durations. No sum includes these
 * runs. */
static bool fleet_excluded(struct db *db, const struct fleet_filter *f,
	int64_t *n, struct err *e)
{
	static const char sql[] = "SELECT count(*) FROM run r WHERE " FLEET_RUNS
				  "AND r.gpu_ns IS NOT NULL AND NOT r.counted";
	return fleet_runs_count(db, sql, f, n, e);
}

/* The number of runs with one shape of an operator, in one ledger. */
struct fleet_shape_seen {
	uint32_t operator_; /* id of the operator's first key */
	int64_t shape, runs;
};

struct fleet_shape_counting {
	struct arena work;
	const struct fleet_keys *keys;
	uint32_t *operator_; /* by key */
	uint32_t at; /* the operator whose ledger is read */
	struct fleet_shape_seen *seen;
	size_t n, room;
};

static bool fleet_counts_unfiltered(const struct fleet_filter *f)
{
	return !f->project && !f->workload && !f->framework && !f->platform &&
	       !f->labels && !f->energy && !f->op &&
	       f->phase == PHASE_UNKNOWN && f->dtype == DTYPE_UNKNOWN &&
	       f->since == NO_MOMENT && f->until == NO_MOMENT;
}

static void fleet_counts_operators(struct fleet_shape_counting *c)
{
	const struct fleet_key *k = c->keys->rows;
	c->operator_ = arena_array(&c->work, uint32_t, c->keys->n);
	for (uint32_t i = 0; i < c->keys->n; i++) {
		uint32_t first = 0;
		while (first < i && k[i].op &&
			(!k[first].op || strcmp(k[first].op, k[i].op) != 0))
			first++;
		c->operator_[i] = k[i].op ? first : i;
	}
}

static void fleet_counts_add(void *ctx, int64_t shape, int128 runs)
{
	struct fleet_shape_counting *c = ctx;
	if (!shape || !runs)
		return;
	if (c->n == c->room) {
		c->room = c->room ? c->room * 2 : 1024;
		c->seen = arena_grow(&c->work, c->seen,
			c->room * sizeof *c->seen);
	}
	c->seen[c->n++] =
		(struct fleet_shape_seen){ c->at, shape, (int64_t)runs };
}

/* Reads a sequence of ledgers, each preceded by its key and its length; or only
 * the ledger of one key. */
static bool fleet_counts_read_ledgers(struct fleet_shape_counting *c,
	int64_t key, struct int128_reader b)
{
	bool ok = true;
	while (ok && b.at < b.end) {
		int64_t id = key ? key : (int64_t)int128_next(&b);
		int128 len = key ? b.end - b.at : int128_next(&b);
		if (b.bad || len < 0 || len > b.end - b.at)
			return false;
		struct int128_reader one = { b.at, b.at + len, false };
		const struct fleet_key *k = fleet_key(c->keys, id);
		b.at += len;
		if (!k || !k->op)
			continue;
		c->at = c->operator_[k - c->keys->rows];
		ok = ledger_each(&one, SHAPE_RUNS, fleet_counts_add, c);
	}
	return ok;
}

static bool fleet_counts_read_all(struct db *db, struct fleet_shape_counting *c,
	struct err *e)
{
	static const char sql[] =
		"SELECT s.key_id, s.seen "
		"FROM operator_key k JOIN rollup_seen s ON s.key_id = k.id "
		"WHERE k.operator IS NOT NULL "
		"UNION ALL SELECT NULL, d.shapes FROM rollup_delta d";
	const struct sql_params none = { 0 };
	struct result r;
	bool ok = true;
	if (!sql_hot(db, sql, &none, &r, e))
		return false;
	while (ok && result_next(&r)) {
		size_t len;
		int64_t key = result_int8(&r, 0);
		const uint8_t *at = result_bytes(&r, &len);
		ok = fleet_counts_read_ledgers(c, key,
			(struct int128_reader){ at, at + len, false });
	}
	result_release(&r);
	return ok || err_set(e, ERR_INTERNAL, "stored sums cannot be read");
}

static int fleet_counts_by_shape(const void *a, const void *b)
{
	const struct fleet_shape_seen *x = a, *y = b;
	if (x->operator_ != y->operator_)
		return x->operator_ < y->operator_ ? -1 : 1;
	return (x->shape > y->shape) - (x->shape < y->shape);
}

static void fleet_counts_count(struct fleet_shape_counting *c, struct arena *a,
	struct fleet *out)
{
	struct fleet_count *to =
		arena_array(a, struct fleet_count, c->keys->n + 1);
	out->counts = to;
	if (c->n)
		qsort(c->seen, c->n, sizeof *c->seen, fleet_counts_by_shape);
	for (size_t i = 0, next; i < c->n; i = next) {
		const struct fleet_shape_seen *s = &c->seen[i];
		const char *name = c->keys->rows[s->operator_].op;
		int64_t runs = 0;
		for (next = i; next < c->n &&
			       !fleet_counts_by_shape(s, &c->seen[next]);
			next++)
			runs += c->seen[next].runs;
		if (!out->counts_n || to[out->counts_n - 1].op != name)
			to[out->counts_n++].op = name;
		to[out->counts_n - 1].shapes += runs > 0;
	}
}

/* Counts the different shapes of each operator, over all runs. With a filter
 * nothing is counted, because the sums of many days would have to be read. */
static bool fleet_counts(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	struct fleet_keys keys;
	struct fleet_shape_counting c = { .keys = &keys };
	if (!fleet_counts_unfiltered(f))
		return true;
	if (!fleet_keys(db, a, f, &keys, e))
		return false;
	fleet_counts_operators(&c);
	bool ok = fleet_counts_read_all(db, &c, e);
	if (ok)
		fleet_counts_count(&c, a, out);
	arena_release(&c.work);
	return ok;
}

/* One statement, so that no fold can happen between two reads. */
static const char fleet_sums_sql[] =
	"SELECT p.sign, c.cell, c.project, c.workload, c.platform, "
	"c.framework, c.sums "
	"FROM " FLEET_PERIODS " "
	"JOIN rollup_cell c ON c.grain = p.grain AND c.first = p.first "
	"WHERE " FLEET_CELL "UNION ALL "
	"SELECT 1::bigint, d.cell, d.project, d.workload, d.platform, "
	"d.framework, d.sums "
	"FROM rollup_delta d WHERE " FLEET_DELTA;

enum { CELL_BYTES = 32 };

/* A cell, its ledger, and the next cell in the same slot of the hash table. */
struct fleet_sum {
	const uint8_t *cell;
	struct fleet_cell is;
	struct ledger sums;
	struct fleet_sum *next;
};

struct fleet_sums {
	struct arena *arena; /* contains the result */
	struct arena work; /* scratch */
	struct fleet_sum **slots;
	uint32_t slots_n; /* a power of two */
	struct fleet_sum **list; /* in the order of the rows */
	uint32_t n;
};

/* Finds the sum of a cell. The cell's bytes are already a hash; they point into
 * the rows. */
static struct fleet_sum *query_fleet_sum_of(struct fleet_sums *s,
	const uint8_t *cell, bool *made)
{
	uint32_t at;
	memcpy(&at, cell, sizeof at);
	at &= s->slots_n - 1;
	struct fleet_sum *sum = s->slots[at];
	while (sum && memcmp(sum->cell, cell, CELL_BYTES) != 0)
		sum = sum->next;
	*made = !sum;
	if (sum)
		return sum;
	sum = arena_new(&s->work, struct fleet_sum);
	sum->cell = cell;
	sum->sums.arena = &s->work;
	sum->next = s->slots[at];
	s->slots[at] = sum;
	s->list[s->n++] = sum;
	return sum;
}

static void query_fleet_skip_texts(struct result *r)
{
	r->col += 4;
}

static bool query_fleet_add_rows(struct fleet_sums *s, struct result *r)
{
	size_t len;
	s->slots_n = 256;
	while (s->slots_n < (uint32_t)r->n)
		s->slots_n *= 2;
	s->slots = arena_array(&s->work, struct fleet_sum *, s->slots_n);
	s->list = arena_array(&s->work, struct fleet_sum *, (size_t)r->n);
	while (result_next(r)) {
		bool made;
		int sign = (int)result_int8(r, 1);
		struct fleet_sum *sum =
			query_fleet_sum_of(s, result_bytes(r, &len), &made);
		if (made) {
			sum->is.project = result_text(r, s->arena);
			sum->is.workload = result_text(r, s->arena);
			sum->is.platform = result_text(r, s->arena);
			sum->is.framework = result_text(r, s->arena);
		} else {
			query_fleet_skip_texts(r);
		}
		const uint8_t *at = result_bytes(r, &len);
		struct int128_reader b = { at, at + len, false };
		if (!ledger_read(&sum->sums, &b, sign))
			return false;
	}
	return true;
}

/* g is in millionths of GPU-hours, times are in ns. */
static double query_fleet_weighted_s(int128 v)
{
	return (double)v / 1e15;
}

static bool query_fleet_cell_from(const struct ledger *l, struct fleet_cell *c)
{
	if (!l->n || l->rows[0].id != 0 || !ledger_sum(&l->rows[0], CELL_RUNS))
		return false;
	c->runs = (int64_t)ledger_sum(&l->rows[0], CELL_RUNS);
	c->weight = (double)ledger_sum(&l->rows[0], CELL_WEIGHT) / 1e6;
	c->total_s = (double)ledger_sum(&l->rows[0], CELL_GPU) / 1e9;
	c->weighted_s =
		query_fleet_weighted_s(ledger_sum(&l->rows[0], CELL_W_GPU));
	return true;
}

static void query_fleet_row_from(const int128 v[KEY_CODES],
	const struct fleet_keys *keys, const struct fleet_key *key,
	struct fleet_row *row)
{
	row->op = key->op;
	row->dtype = key->dtype;
	row->phase = key->phase;
	row->runs = (int64_t)v[keys->runs_code];
	row->launches = (int64_t)v[KEY_LAUNCHES];
	row->calls = (int64_t)v[KEY_CALLS];
	row->bound_calls = (int64_t)v[KEY_BOUND_CALLS];
	row->total_s = (double)v[KEY_TOTAL] / 1e9;
	row->share = (double)v[KEY_SHARE] / 1e12;
	row->weighted_s = query_fleet_weighted_s(v[KEY_W_TOTAL]);
	row->sized_s = query_fleet_weighted_s(v[KEY_W_SIZED]);
	row->bound_s = query_fleet_weighted_s(v[KEY_W_BOUND]);
	row->sol_s = query_fleet_weighted_s(v[KEY_W_SOL]) / 1e3;
	row->compute_s = query_fleet_weighted_s(v[KEY_W_COMPUTE]);
	row->headroom_s = query_fleet_weighted_s(v[KEY_W_HEADROOM]);
	row->over_s = query_fleet_weighted_s(v[KEY_W_OVER]);
	row->flops = (double)v[KEY_W_FLOPS] / 1e6;
	row->bytes = (double)v[KEY_W_BYTES] / 1e6;
}

/* The terms of a row, as an array by code. */
static void query_fleet_terms(const struct ledger_row *row, int128 v[KEY_CODES])
{
	memset(v, 0, KEY_CODES * sizeof *v);
	for (uint32_t i = 0; i < row->n; i++)
		if (row->terms[i].code < KEY_CODES)
			v[row->terms[i].code] = row->terms[i].sum;
}

static int query_fleet_by_cell(const void *a, const void *b)
{
	const struct fleet_sum *const *x = a, *const *y = b;
	return memcmp((*x)->cell, (*y)->cell, CELL_BYTES);
}

/* Cells are sorted by their hash, because rows are read in any order and the
 * bootstrap of importance draws workloads by their number. */
static void query_fleet_fill(const struct fleet_sums *s,
	const struct fleet_keys *keys, struct fleet *out)
{
	size_t rows = 0;
	if (s->n)
		qsort(s->list, s->n, sizeof *s->list, query_fleet_by_cell);
	for (uint32_t i = 0; i < s->n; i++)
		rows += s->list[i]->sums.n;
	out->cells = arena_array(s->arena, struct fleet_cell, s->n);
	out->rows = arena_array(s->arena, struct fleet_row, rows);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct ledger *l = &s->list[i]->sums;
		if (!query_fleet_cell_from(l, &s->list[i]->is))
			continue;
		out->cells[out->cells_n] = s->list[i]->is;
		for (uint32_t k = 1; k < l->n; k++) {
			const struct ledger_row *row = &l->rows[k];
			const struct fleet_key *key = fleet_key(keys, row->id);
			int128 v[KEY_CODES];
			if (!key)
				continue;
			query_fleet_terms(row, v);
			if (!v[KEY_RUNS_BOTH])
				continue;
			struct fleet_row *to = &out->rows[out->rows_n++];
			to->cell = out->cells_n;
			query_fleet_row_from(v, keys, key, to);
		}
		out->cells_n++;
	}
}

static bool query_fleet_from_rollups(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	struct fleet_periods periods;
	struct fleet_keys keys;
	struct fleet_sums s = { .arena = a };
	struct fleet_days d = fleet_days(f);
	fleet_periods_init(&periods, d, (int32_t)(time(NULL) / 86400));
	fleet_params(&p, &periods, f, d);
	bool ok = sql_hot(db, fleet_sums_sql, &p, &r, e);
	fleet_periods_release(&periods);
	if (!ok)
		return false;
	ok = query_fleet_add_rows(&s, &r) ||
	     err_set(e, ERR_INTERNAL, "stored sums cannot be read");
	/* The dictionary is read last, so that it contains every key of the
	 * sums. */
	ok = ok && fleet_keys(db, a, f, &keys, e);
	if (ok)
		query_fleet_fill(&s, &keys, out);
	result_release(&r);
	arena_release(&s.work);
	return ok;
}

bool query_fleet(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	struct fleet_filter all = *f;
	all.energy = false;
	*out = (struct fleet){ 0 };
	return (f->labels || f->energy
			       ? fleet_from_runs(db, a, f, out, e)
			       : query_fleet_from_rollups(db, a, f, out, e)) &&
	       fleet_counts(db, a, f, out, e) &&
	       fleet_runs_without_operators(db, &all, &out->excluded, e) &&
	       fleet_excluded(db, &all, &out->left_out, e);
}

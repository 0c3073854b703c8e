/* query_fleet_shape.c - adds up the shapes of an operator over many runs, by
 * platform, type and phase. */
#include "query_fleet.h"
#include "column.h"
#include "fleet_select.h"
#include "ledger.h"
#include "profile_word.h"
#include "rollup_code.h"
#include "rollup_delta.h"
#include "sql.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* Sums of an operator, type and phase on one platform, by shape. */
struct shape_group {
	const struct fleet_key *key;
	const char *platform;
	struct ledger sums;
};

struct shape_sums {
	struct arena *arena; /* contains the result */
	struct arena work; /* scratch */
	const struct fleet_keys *keys;
	int64_t shape; /* only this one; 0: all */
	struct shape_group *groups;
	uint32_t n, room;
};

/* $10: the keys. One statement, so that no fold can happen between two
 * reads. */
static const char shape_sums_sql[] =
	"SELECT p.sign, s.key_id, c.platform, s.shapes "
	"FROM unnest($10::bigint[]) k (id) CROSS JOIN " FLEET_PERIODS " "
	"JOIN rollup_shape s ON s.key_id = k.id AND s.grain = p.grain "
	"AND s.first = p.first "
	"JOIN rollup_cell c ON c.grain = s.grain AND c.first = s.first "
	"AND c.cell = s.cell "
	"WHERE " FLEET_CELL "UNION ALL "
	"SELECT 1::bigint, NULL, d.platform, d.shapes "
	"FROM rollup_delta d WHERE " FLEET_DELTA;

static struct shape_group *shape_sums_group_of(struct shape_sums *g,
	const struct fleet_key *key, const char *platform)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->groups[i].key == key &&
			!strcmp(g->groups[i].platform, platform))
			return &g->groups[i];
	if (g->n == g->room) {
		g->room = g->room ? g->room * 2 : 64;
		g->groups = arena_grow(&g->work, g->groups,
			g->room * sizeof *g->groups);
	}
	g->groups[g->n] = (struct shape_group){ .key = key,
		.platform = platform,
		.sums = { .arena = &g->work } };
	return &g->groups[g->n++];
}

static bool shape_sums_add(struct shape_sums *g, int64_t id,
	const char *platform, struct int128_reader b, int sign)
{
	const struct fleet_key *key = fleet_key(g->keys, id);
	return !key || ledger_read(&shape_sums_group_of(g, key, platform)->sums,
			       &b, sign);
}

/* The ledgers of all operators of one run. */
static bool shape_sums_add_delta(struct shape_sums *g, const char *platform,
	struct int128_reader b)
{
	bool ok = true;
	while (ok && b.at < b.end) {
		int64_t key = (int64_t)int128_next(&b);
		int128 len = int128_next(&b);
		if (b.bad || len < 0 || len > b.end - b.at)
			return false;
		struct int128_reader one = { b.at, b.at + len, false };
		ok = shape_sums_add(g, key, platform, one, 1);
		b.at += len;
	}
	return ok;
}

static bool shape_sums_add_rows(struct shape_sums *g, struct result *r)
{
	bool ok = true;
	while (ok && result_next(r)) {
		size_t len;
		int sign = (int)result_int8(r, 1);
		int64_t key = result_int8(r, 0);
		const char *platform = result_text(r, g->arena);
		const uint8_t *at = result_bytes(r, &len);
		struct int128_reader b = { at, at + len, false };
		ok = key ? shape_sums_add(g, key, platform, b, sign)
			 : shape_sums_add_delta(g, platform, b);
	}
	return ok;
}

static void shape_sums_add_keys(struct sql_params *p, struct sql_array *ids,
	const struct fleet_keys *keys)
{
	sql_array_init(ids, SQL_INT8);
	for (uint32_t i = 0; i < keys->n; i++)
		sql_array_int8(ids, keys->rows[i].id);
	sql_array(p, ids);
}

static bool shape_sums_read_rollups(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	struct fleet_periods periods;
	struct sql_array ids;
	struct fleet_days d = fleet_days(f);
	fleet_periods_init(&periods, d, (int32_t)(time(NULL) / 86400));
	fleet_params(&p, &periods, f, d);
	shape_sums_add_keys(&p, &ids, g->keys);
	bool ok = sql_hot(db, shape_sums_sql, &p, r, e);
	sql_array_release(&ids);
	fleet_periods_release(&periods);
	return ok;
}

static bool shape_sums_from_rollups(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct err *e)
{
	struct result r;
	if (!shape_sums_read_rollups(db, g, f, &r, e))
		return false;
	bool ok = shape_sums_add_rows(g, &r) ||
		  err_set(e, ERR_INTERNAL, "stored sums cannot be read");
	result_release(&r);
	return ok;
}

/* Sorted by shape, so that ledgers grow at their end. A run counts once per
 * shape, as in the rollups. $9: the keys. */
static const char shape_runs_sql[] = FLEET_CHOSEN
	", o AS (SELECT c.run_id, c.platform, c.g, o.rank, k.id AS key "
	"FROM chosen c JOIN run_operator o ON o.run_id = c.run_id "
	"JOIN operator_key k "
	"ON coalesce(k.operator, '') = coalesce(o.operator, '') "
	"AND coalesce(k.dtype, '') = coalesce(o.dtype, '') "
	"AND coalesce(k.phase, '') = coalesce(o.phase, '') "
	"WHERE k.id = ANY($9::bigint[])) "
	"SELECT key, platform, g::bigint, shape_id, nth = 1, " SHAPE_COLUMNS " "
	"FROM (SELECT s.*, NULL::text AS sizes, o.key, o.platform, o.g, "
	"row_number() OVER (PARTITION BY s.run_id, s.operator, s.shape_id "
	"ORDER BY s.rank) AS nth "
	"FROM o JOIN run_shape s ON s.run_id = o.run_id "
	"AND s.operator = o.rank) s "
	"ORDER BY key, platform, shape_id NULLS FIRST";

static bool shape_sums_add_run_shape(struct shape_sums *g, struct result *r)
{
	struct shape_stat s = { 0 };
	const struct fleet_key *key = fleet_key(g->keys, result_int8(r, 0));
	const char *platform = result_text(r, g->arena);
	int64_t weight_uh = result_int8(r, 0), id = result_int8(r, 0);
	bool first = result_bool(r), ok = column_read_shape(r, &g->work, &s);
	if (ok)
		rollup_delta_shape(&shape_sums_group_of(g, key, platform)->sums,
			&s, id, weight_uh, first, 1);
	return ok;
}

static bool shape_sums_from_runs(struct db *db, struct shape_sums *g,
	const struct fleet_filter *f, struct err *e)
{
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	fleet_run_params(&p, f);
	shape_sums_add_keys(&p, &ids, g->keys);
	bool ok = sql_run(db, shape_runs_sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	while (ok && result_next(&r))
		ok = shape_sums_add_run_shape(g, &r) ||
		     err_set(e, ERR_INTERNAL,
			     "the shapes of a run cannot be read");
	result_release(&r);
	return ok;
}

/* The duration in the middle of a bucket. */
static double query_fleet_shape_bucket_ns(int32_t code)
{
	return code == SHAPE_ZERO ? 0 : exp2((code - SHAPE_BUCKET + 0.5) / 32);
}

/* The duration of the nth call, in the order of durations. */
static double query_fleet_shape_nth_ns(const struct ledger_row *row, int128 nth)
{
	int128 before = 0;
	for (uint32_t i = 0; i < row->n; i++) {
		if (row->terms[i].code < SHAPE_ZERO)
			continue;
		before += row->terms[i].sum;
		if (before > nth)
			return query_fleet_shape_bucket_ns(row->terms[i].code);
	}
	return NAN;
}

static double query_fleet_shape_median_ns(const struct ledger_row *row)
{
	int128 calls = 0;
	for (uint32_t i = 0; i < row->n; i++)
		if (row->terms[i].code >= SHAPE_ZERO)
			calls += row->terms[i].sum;
	return (query_fleet_shape_nth_ns(row, (calls - 1) / 2) +
		       query_fleet_shape_nth_ns(row, calls / 2)) /
	       2;
}

/* The mean. It is exact if one version of the catalog computed all costs. */
static uint64_t query_fleet_shape_mean(const struct ledger_row *row, int code,
	int128 n)
{
	return (uint64_t)((ledger_sum(row, code) + n / 2) / n);
}

/* The use of links that all calls share; one without a kind if none is a
 * collective whose cost is known. False if they are of several kinds, or if
 * the cost of some is unknown: these may be of another kind. */
static bool query_fleet_shape_link(const struct ledger_row *row, int128 costed,
	struct link_use *u)
{
	*u = (struct link_use){ 0 };
	for (int k = COLLECTIVE_UNKNOWN + 1; k < COLLECTIVE_KINDS; k++) {
		int128 calls = ledger_sum(row, (int)SHAPE_LINK_KIND + k);
		if (calls && calls != ledger_sum(row, SHAPE_CALLS))
			return false;
		if (!calls)
			continue;
		*u = (struct link_use){ .kind = (enum collective_kind)k,
			.bytes = (int64_t)query_fleet_shape_mean(row,
				SHAPE_LINK_BYTES, costed),
			.ranks = (int64_t)query_fleet_shape_mean(row,
				SHAPE_LINK_RANKS, costed),
			.nodes = (int64_t)query_fleet_shape_mean(row,
				SHAPE_LINK_NODES, costed) };
	}
	return true;
}

static void query_fleet_shape_cost(const struct ledger_row *row,
	struct fleet_shape *s)
{
	int128 costed = ledger_sum(row, SHAPE_COSTED);
	int128 bound = ledger_sum(row, SHAPE_BOUND);
	s->costed = costed > 0;
	s->sol_ns = NAN;
	s->link_kinds = s->costed &&
			!query_fleet_shape_link(row, costed, &s->cost.link);
	if (s->link_kinds)
		s->costed = false;
	s->all_costed = s->costed && costed == ledger_sum(row, SHAPE_CALLS);
	if (s->costed) {
		s->cost.read_bytes =
			query_fleet_shape_mean(row, SHAPE_READ, costed);
		s->cost.write_bytes =
			query_fleet_shape_mean(row, SHAPE_WRITE, costed);
		for (int d = 0; d < DTYPES; d++)
			s->cost.flops[d] = query_fleet_shape_mean(row,
				SHAPE_FLOPS + d, costed);
	}
	if (bound > 0) {
		s->sol_ns = (double)ledger_sum(row, SHAPE_SOL) / (double)bound /
			    1e3;
		s->leg = s->cost.link.kind || s->link_kinds ? LEG_LINK
			 : ledger_sum(row, SHAPE_COMPUTE) * 2 > bound
				 ? LEG_COMPUTE
				 : LEG_MEMORY;
	}
}

struct fleet_shape_line {
	struct fleet_shape is;
	const struct ledger_row *row;
};

static int query_fleet_shape_by_group(const struct fleet_shape *x,
	const struct fleet_shape *y)
{
	int d = strcmp(x->platform ? x->platform : "",
		y->platform ? y->platform : "");
	if (!d)
		d = (int)x->dtype - (int)y->dtype;
	return d ? d : (int)x->phase - (int)y->phase;
}

/* A total order, so that pages neither repeat nor skip a row. */
static int query_fleet_shape_by_time(const struct fleet_shape *x,
	const struct fleet_shape *y)
{
	if (x->weighted_s != y->weighted_s)
		return x->weighted_s > y->weighted_s ? -1 : 1;
	if (x->total_s != y->total_s)
		return x->total_s > y->total_s ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return query_fleet_shape_by_group(x, y);
}

static double query_fleet_shape_key(const struct fleet_shape *s,
	enum fleet_shape_order by)
{
	return by == FLEET_SHAPES_HEADROOM ? s->headroom_s
	       : by == FLEET_SHAPES_CALLS  ? (double)s->calls
					   : s->weighted_s;
}

static int query_fleet_shape_compare(const void *a, const void *b, void *page)
{
	const struct fleet_shape *x = &((const struct fleet_shape_line *)a)->is,
				 *y = &((const struct fleet_shape_line *)b)->is;
	const struct fleet_shape_page *p = page;
	double s = query_fleet_shape_key(x, p->by),
	       t = query_fleet_shape_key(y, p->by);
	if (isnan(s) != isnan(t))
		return isnan(s) ? 1 : -1;
	if (!isnan(s) && s != t)
		return (s > t) == !p->reverse ? -1 : 1;
	return query_fleet_shape_by_time(x, y);
}

/* NaN unless the headroom of all calls with a roofline bound is known. */
static double query_fleet_shape_headroom_s(const struct ledger_row *row)
{
	int128 bound = ledger_sum(row, SHAPE_BOUND);
	return bound > 0 && bound == ledger_sum(row, SHAPE_HEADROOM_CALLS)
		       ? (double)ledger_sum(row, SHAPE_W_HEADROOM) / 1e15
		       : (double)NAN;
}

/* In no order. */
static struct fleet_shape_line *query_fleet_shape_lines(struct shape_sums *g,
	uint32_t *n)
{
	size_t most = 0;
	for (uint32_t i = 0; i < g->n; i++)
		most += g->groups[i].sums.n;
	struct fleet_shape_line *all = arena_array(&g->work,
					struct fleet_shape_line, most),
				*to = all;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct shape_group *of = &g->groups[i];
		for (uint32_t k = 0; k < of->sums.n; k++) {
			const struct ledger_row *row = &of->sums.rows[k];
			if (!ledger_sum(row, SHAPE_RUNS) ||
				(g->shape && row->id != g->shape))
				continue;
			to->row = row;
			to->is = (struct fleet_shape){
				.id = row->id,
				.op = of->key->op,
				.platform = *of->platform ? of->platform : NULL,
				.dtype = of->key->dtype,
				.phase = of->key->phase,
				.total_s =
					(double)ledger_sum(row, SHAPE_TOTAL) /
					1e9,
				.weighted_s =
					(double)ledger_sum(row, SHAPE_W_TOTAL) /
					1e15,
				.headroom_s = query_fleet_shape_headroom_s(row),
				.calls = (int64_t)ledger_sum(row, SHAPE_CALLS),
			};
			to++;
		}
	}
	*n = (uint32_t)(to - all);
	return all;
}

/* Reads the sizes of n lines. */
static bool query_fleet_shape_read_texts(struct db *db, struct arena *a,
	struct fleet_shape_line *lines, uint32_t n, struct err *e)
{
	static const char sql[] =
		"SELECT l.place, s.text "
		"FROM unnest($1::bigint[]) WITH ORDINALITY l (id, place) "
		"JOIN shape s ON s.id = l.id";
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	sql_array_init(&ids, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(&ids, lines[i].is.id);
	sql_array(&p, &ids);
	bool ok = sql_hot(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	while (result_next(&r)) {
		int64_t place = result_int8(&r, 0);
		lines[place - 1].is.text = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

static bool query_fleet_shape_contains(const char *text, const char *word,
	size_t len)
{
	for (; text && *text; text++)
		if (!strncasecmp(text, word, len))
			return true;
	return false;
}

static bool query_fleet_shape_matches(const struct fleet_shape *s,
	const char *q)
{
	const char *const texts[] = { s->text, dtype_word(s->dtype),
		profile_word_phase[s->phase], s->platform };
	for (q += strspn(q, " "); *q; q += strspn(q, " ")) {
		size_t len = strcspn(q, " "), i = 0,
		       n = sizeof texts / sizeof *texts;
		while (i < n && !query_fleet_shape_contains(texts[i], q, len))
			i++;
		if (i == n)
			return false;
		q += len;
	}
	return true;
}

/* Keeps the lines that match. */
static uint32_t query_fleet_shape_search(struct fleet_shape_line *all,
	uint32_t n, const char *q)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (query_fleet_shape_matches(&all[i].is, q))
			all[kept++] = all[i];
	return kept;
}

static void query_fleet_shape_unknown_add(struct fleet_shape_unknown *u,
	const struct fleet_shape *s)
{
	if (s->id)
		return;
	u->rows++;
	u->calls += s->calls;
	u->total_s += s->total_s;
	u->weighted_s += s->weighted_s;
}

static void query_fleet_shape_row_from(const struct fleet_shape_line *line,
	struct fleet_shape *s)
{
	*s = line->is;
	s->runs = (int64_t)ledger_sum(line->row, SHAPE_RUNS);
	s->launches = (int64_t)ledger_sum(line->row, SHAPE_LAUNCHES);
	s->med_ns = query_fleet_shape_median_ns(line->row);
	query_fleet_shape_cost(line->row, s);
}

static bool query_fleet_shape_page_of(struct db *db, struct shape_sums *g,
	const struct fleet_shape_page *page, struct fleet_shape_list *out,
	struct err *e)
{
	struct fleet_shape_page by = *page;
	uint32_t all_n;
	struct fleet_shape_line *all = query_fleet_shape_lines(g, &all_n);
	*out = (struct fleet_shape_list){ 0 };
	for (uint32_t i = 0; i < all_n; i++)
		query_fleet_shape_unknown_add(&out->unknown, &all[i].is);
	if (page->q) {
		if (!query_fleet_shape_read_texts(db, g->arena, all, all_n, e))
			return false;
		all_n = query_fleet_shape_search(all, all_n, page->q);
	}
	if (all_n)
		qsort_r(all, all_n, sizeof *all, query_fleet_shape_compare,
			&by);
	uint32_t from = page->offset < all_n ? (uint32_t)page->offset : all_n;
	out->matching = all_n;
	out->n = all_n - from;
	if (page->limit && out->n > (uint32_t)page->limit)
		out->n = (uint32_t)page->limit;
	if (!page->q && !query_fleet_shape_read_texts(db, g->arena, all + from,
				out->n, e))
		return false;
	out->rows = arena_array(g->arena, struct fleet_shape, out->n);
	for (uint32_t i = 0; i < out->n; i++)
		query_fleet_shape_row_from(&all[from + i], &out->rows[i]);
	return true;
}

bool query_fleet_shapes(struct db *db, struct arena *a,
	const struct fleet_filter *f, const struct fleet_shape_page *page,
	struct fleet_shape_list *out, struct err *e)
{
	static const struct fleet_shape_page everything;
	struct fleet_keys keys;
	struct shape_sums g = { .arena = a, .keys = &keys, .shape = f->shape };
	bool ok = fleet_keys(db, a, f, &keys, e) &&
		  (f->labels || f->energy
				  ? shape_sums_from_runs(db, &g, f, e)
				  : shape_sums_from_rollups(db, &g, f, e)) &&
		  query_fleet_shape_page_of(db, &g, page ? page : &everything,
			  out, e);
	arena_release(&g.work);
	return ok;
}

static void query_fleet_bounds_fill(struct shape_sums *g,
	struct fleet_shape **rows, uint32_t *n)
{
	const struct fleet_shape_line *all = query_fleet_shape_lines(g, n);
	*rows = arena_array(g->arena, struct fleet_shape, *n);
	for (uint32_t i = 0; i < *n; i++) {
		(*rows)[i] = all[i].is;
		query_fleet_shape_cost(all[i].row, &(*rows)[i]);
	}
}

static bool query_fleet_bounds_wants(const struct fleet_bests *bests,
	const char *op)
{
	for (uint32_t i = 0; op && i < bests->n; i++)
		if (!strcmp(bests->rows[i].op, op))
			return true;
	return false;
}

/* Keeps the keys of operators with a fleet-best. */
static void query_fleet_bounds_narrow(struct fleet_keys *keys,
	const struct fleet_bests *bests)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < keys->n; i++)
		if (query_fleet_bounds_wants(bests, keys->rows[i].op))
			keys->rows[kept++] = keys->rows[i];
	keys->n = kept;
}

bool query_fleet_bounds(struct db *db, struct arena *a,
	const struct fleet_filter *f, const struct fleet_bests *bests,
	struct fleet_shape **rows, uint32_t *n, struct err *e)
{
	struct fleet_keys keys;
	struct shape_sums g = { .arena = a, .keys = &keys };
	assert(!f->labels && !f->energy);
	if (!fleet_keys(db, a, f, &keys, e))
		return false;
	query_fleet_bounds_narrow(&keys, bests);
	bool ok = shape_sums_from_rollups(db, &g, f, e);
	if (ok)
		query_fleet_bounds_fill(&g, rows, n);
	arena_release(&g.work);
	return ok;
}

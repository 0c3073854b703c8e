/* query_fleet_shape.c - the shapes of operators over many runs. */
#include "fleet_shape_sums.h"
#include "rollup_code.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

/* The middle of a bucket. */
static double bucket_ns(int32_t code)
{
	return code == SHAPE_ZERO ? 0 : exp2((code - SHAPE_BUCKET + 0.5) / 32);
}

/* How long the nth call by duration took. */
static double nth_ns(const struct ledger_row *row, int128 nth)
{
	int128 before = 0;
	for (uint32_t i = 0; i < row->n; i++) {
		if (row->terms[i].code < SHAPE_ZERO)
			continue;
		before += row->terms[i].sum;
		if (before > nth)
			return bucket_ns(row->terms[i].code);
	}
	return NAN;
}

static double median_ns(const struct ledger_row *row)
{
	int128 calls = 0;
	for (uint32_t i = 0; i < row->n; i++)
		if (row->terms[i].code >= SHAPE_ZERO)
			calls += row->terms[i].sum;
	return (nth_ns(row, (calls - 1) / 2) + nth_ns(row, calls / 2)) / 2;
}

/* The mean, which is the one cost where all were made by one catalogue. */
static uint64_t mean(const struct ledger_row *row, int code, int128 n)
{
	return (uint64_t)((ledger_sum(row, code) + n / 2) / n);
}

static void read_cost(const struct ledger_row *row, struct fleet_shape *s)
{
	int128 costed = ledger_sum(row, SHAPE_COSTED);
	int128 bound = ledger_sum(row, SHAPE_BOUND);
	s->costed = costed > 0;
	s->sol_ns = NAN;
	if (s->costed) {
		s->cost.read_bytes = mean(row, SHAPE_READ, costed);
		s->cost.write_bytes = mean(row, SHAPE_WRITE, costed);
		for (int d = 0; d < DTYPES; d++)
			s->cost.flops[d] = mean(row, SHAPE_FLOPS + d, costed);
	}
	if (bound > 0) {
		s->sol_ns = (double)ledger_sum(row, SHAPE_SOL) / (double)bound /
			    1e3;
		s->leg = ledger_sum(row, SHAPE_COMPUTE) * 2 > bound
				 ? LEG_COMPUTE
				 : LEG_MEMORY;
	}
}

struct line {
	struct fleet_shape is;
	int64_t shape; /* 0: sizes unknown */
	const struct ledger_row *row;
};

static int by_group(const struct fleet_shape *x, const struct fleet_shape *y)
{
	int d = strcmp(x->platform ? x->platform : "",
		y->platform ? y->platform : "");
	if (!d)
		d = (int)x->dtype - (int)y->dtype;
	return d ? d : (int)x->phase - (int)y->phase;
}

/* Of all lines it tells which comes first, so that pages fit together. */
static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	if (x->is.weighted_s != y->is.weighted_s)
		return x->is.weighted_s > y->is.weighted_s ? -1 : 1;
	if (x->is.total_s != y->is.total_s)
		return x->is.total_s > y->is.total_s ? -1 : 1;
	if (x->shape != y->shape)
		return x->shape < y->shape ? -1 : 1;
	return by_group(&x->is, &y->is);
}

static struct line *lines(struct shape_sums *g, uint32_t *n)
{
	size_t most = 0;
	for (uint32_t i = 0; i < g->n; i++)
		most += g->groups[i].sums.n;
	struct line *all = arena_array(&g->work, struct line, most), *to = all;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct shape_group *of = &g->groups[i];
		for (uint32_t k = 0; k < of->sums.n; k++) {
			const struct ledger_row *row = &of->sums.rows[k];
			if (!ledger_sum(row, SHAPE_RUNS))
				continue;
			to->row = row;
			to->shape = row->id;
			to->is = (struct fleet_shape){
				.operator= of->key->operator,
				.platform = * of->platform ? of->platform
							   : NULL,
				.dtype = of->key->dtype,
				.phase = of->key->phase,
				.total_s =
					(double)ledger_sum(row, SHAPE_TOTAL) /
					1e9,
				.weighted_s =
					(double)ledger_sum(row, SHAPE_W_TOTAL) /
					1e15,
			};
			to++;
		}
	}
	*n = (uint32_t)(to - all);
	if (*n)
		qsort(all, *n, sizeof *all, by_time);
	return all;
}

/* Sizes of those on the page. */
static bool read_texts(struct db *db, struct arena *a, const struct line *page,
	struct fleet_shape *rows, uint32_t n, struct err *e)
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
		sql_array_int8(&ids, page[i].shape);
	sql_array(&p, &ids);
	bool ok = sql_hot(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	while (result_next(&r)) {
		int64_t place = result_int8(&r, 0);
		rows[place - 1].text = result_text(&r, a);
	}
	result_release(&r);
	return true;
}

static bool page_of(struct db *db, struct shape_sums *g, int64_t offset,
	int limit, struct fleet_shape **rows, uint32_t *n, bool *more,
	struct err *e)
{
	uint32_t all_n;
	const struct line *all = lines(g, &all_n);
	uint32_t from = offset < all_n ? (uint32_t)offset : all_n;
	*n = all_n - from;
	if (limit && *n > (uint32_t)limit)
		*n = (uint32_t)limit;
	*more = from + *n < all_n;
	*rows = arena_array(g->arena, struct fleet_shape, *n);
	for (uint32_t i = 0; i < *n; i++) {
		struct fleet_shape *s = &(*rows)[i];
		const struct ledger_row *row = all[from + i].row;
		*s = all[from + i].is;
		s->runs = (int64_t)ledger_sum(row, SHAPE_RUNS);
		s->calls = (int64_t)ledger_sum(row, SHAPE_CALLS);
		s->launches = (int64_t)ledger_sum(row, SHAPE_LAUNCHES);
		s->med_ns = median_ns(row);
		read_cost(row, s);
	}
	return read_texts(db, g->arena, all + from, *rows, *n, e);
}

bool query_fleet_shapes(struct db *db, struct arena *a,
	const struct fleet_filter *f, int64_t offset, int limit,
	struct fleet_shape **rows, uint32_t *n, bool *more, struct err *e)
{
	struct fleet_keys keys;
	struct shape_sums g = { .arena = a, .keys = &keys };
	bool ok = fleet_keys(db, a, f, &keys, e) &&
		  (f->labels ? shape_sums_from_runs(db, &g, f, e)
			     : shape_sums_from_rollups(db, &g, f, e)) &&
		  page_of(db, &g, offset, limit, rows, n, more, e);
	arena_release(&g.work);
	return ok;
}

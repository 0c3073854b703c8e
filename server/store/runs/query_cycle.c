/* query_cycle.c - a run's cycles, a page of them. */
#include "query_compared.h"
#include "compared_read.h"
#include "column.h"

struct page {
	struct arena *arena;
	int64_t run, offset;
	int limit;
	struct cycles *out;
	bool *more;
};

static bool read_run(struct compared_read *c, int64_t id, int64_t *cycles,
	struct err *e)
{
	static const char sql[] =
		"SELECT run_id, cycles::bigint, cycle_detector, "
		"cycle_confidence, cycle_range, cycles_kept "
		"FROM run "
		"WHERE run_id = ANY ($1)";
	struct result r;
	if (!compared_rows(c, sql, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		c->runs->id = result_int8(&r, 0);
		struct cycles *cs = &c->runs->cycles;
		*cycles = result_int8(&r, 0);
		cs->detector = (enum cycle_detector)read_word(&r, c->arena,
			profile_word_detector, CYCLE_DETECTORS);
		cs->confidence = result_float8(&r, 0);
		cs->range = result_text(&r, c->arena);
		cs->kept_n = (uint32_t)result_int4(&r, 0);
	}
	result_release(&r);
	return there || err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)id);
}

static bool read_page(struct db *db, void *arg, struct err *e)
{
	const struct page *p = arg;
	struct compared_run run = { 0 };
	struct compared_read c = { .db = db,
		.arena = p->arena,
		.runs = &run,
		.n = 1 };
	int64_t cycles = 0, until = p->limit ? p->offset + p->limit : INT64_MAX;
	sql_array_init(&c.ids, SQL_INT8);
	sql_array_int8(&c.ids, p->run);
	bool ok = compared_snapshot(db, e) &&
		  read_run(&c, p->run, &cycles, e) && compared_strata(&c, e) &&
		  compared_cycles(&c, p->offset, until, e);
	sql_array_release(&c.ids);
	if (!ok)
		return false;
	*p->out = run.cycles;
	*p->more = until < cycles;
	return true;
}

bool query_cycles(struct db *db, struct arena *a, int64_t run, int64_t offset,
	int limit, struct cycles *out, bool *more, struct err *e)
{
	struct page p = { a, run, offset, limit, out, more };
	return sql_transaction(db, read_page, &p, e);
}

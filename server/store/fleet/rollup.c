/* rollup.c - signed rows are taken, grouped by where they belong, and added. */
#include "rollup.h"
#include "ledger.h"
#include "log.h"
#include "rollup_code.h"
#include "rollup_table.h"
#include "sql.h"
#include <assert.h>
#include <string.h>

/* Any number will do that nobody else takes. */
#define LOCK_KEY "7236284921357812"

struct fold {
	int limit;
	int64_t folded;
};

static bool alone(struct db *db, struct err *e)
{
	struct result r;
	if (!sql_run(db, "SELECT pg_try_advisory_xact_lock(" LOCK_KEY ")", NULL,
		    &r, e))
		return false;
	bool mine = result_next(&r) && result_bool(&r);
	result_release(&r);
	return mine || err_set(e, ERR_BUSY, "another process folds the sums");
}

static void read_delta(struct result *r, struct arena *a, struct rollup_from *d)
{
	size_t len;
	d->run = result_int8(r, 0);
	d->day = result_int4(r, 0);
	d->cell = result_bytes(r, &len);
	d->project = result_text(r, a);
	d->workload = result_text(r, a);
	d->platform = result_text(r, a);
	d->framework = result_text(r, a);
	d->sums.at = result_bytes(r, &len);
	d->sums.end = d->sums.at + len;
	d->shapes.at = result_bytes(r, &len);
	d->shapes.end = d->shapes.at + len;
}

/* The next ledger of a delta's shapes, and its key. */
static struct wide_bytes next_shapes(struct wide_bytes *b, int64_t *key)
{
	*key = (int64_t)wide_next(b);
	int128 len = wide_next(b);
	if (len < 0 || len > b->end - b->at)
		b->bad = true;
	struct wide_bytes one = { b->at, b->at + (b->bad ? 0 : len), b->bad };
	b->at = one.end;
	return one;
}

/* Whether a ledger is all that these bytes are. */
static bool readable(struct wide_bytes b)
{
	struct arena a = { 0 };
	struct ledger l = { .arena = &a };
	bool ok = ledger_read(&l, &b, 1) && b.at == b.end;
	arena_release(&a);
	return ok;
}

/* One that is damaged would end every fold there is from then on. */
static bool whole(const struct rollup_from *d)
{
	struct wide_bytes b = d->shapes;
	bool ok = readable(d->sums);
	while (ok && b.at < b.end) {
		int64_t key;
		struct wide_bytes one = next_shapes(&b, &key);
		ok = !one.bad && readable(one);
	}
	if (!ok)
		log_error("rollup run=%lld what it adds to the sums cannot be "
			  "read; it is left out",
			(long long)d->run);
	return ok;
}

static void put_runs(void *ctx, int64_t shape, int128 runs)
{
	struct ledger *l = ctx;
	if (shape && runs)
		ledger_add(l, ledger_row(l, shape), SHAPE_RUNS, runs);
}

/* Of a ledger of shapes how many runs had each, as a ledger. */
static struct wide_bytes runs_of(struct arena *a, struct wide_bytes shapes)
{
	struct ledger l = { .arena = a };
	struct buf b;
	buf_init(&b, (size_t)(shapes.end - shapes.at) + 1);
	(void)ledger_each(&shapes, SHAPE_RUNS, put_runs, &l);
	ledger_write(&l, &b);
	assert(!b.full);
	uint8_t *at = arena_alloc(a, b.len, 1);
	memcpy(at, b.at, b.len);
	struct wide_bytes is = { at, at + b.len, false };
	buf_release(&b);
	return is;
}

/* Into all grains of both tables, and what was seen at all. */
static bool add(struct db *db, struct arena *a, const struct rollup_from *from,
	uint32_t n, struct err *e)
{
	struct rollup_entries cells = { .arena = a }, shapes = { .arena = a },
			      seen = { .arena = a };
	for (uint32_t i = 0; i < n; i++) {
		struct wide_bytes b = from[i].shapes;
		if (!whole(&from[i]))
			continue;
		rollup_enter(&cells, &from[i], 0, from[i].sums);
		while (b.at < b.end) {
			int64_t key;
			struct wide_bytes one = next_shapes(&b, &key);
			rollup_enter(&shapes, &from[i], key, one);
			rollup_enter_all(&seen, key, runs_of(a, one));
		}
	}
	return rollup_table_add(db, &rollup_cells, &cells, e) &&
	       rollup_table_add(db, &rollup_shapes, &shapes, e) &&
	       rollup_table_add(db, &rollup_seen, &seen, e);
}

/* By PK, so that dead rows in front are stepped over by the index. */
static bool fold_runs(struct db *db, struct fold *f, struct err *e)
{
	static const char sql[] =
		"DELETE FROM rollup_delta d "
		"USING (SELECT run_id, id FROM rollup_delta "
		"ORDER BY run_id, id LIMIT $1) next "
		"WHERE d.run_id = next.run_id AND d.id = next.id "
		"RETURNING d.run_id, d.day, d.cell, d.project, d.workload, "
		"d.platform, "
		"d.framework, d.sums, d.shapes";
	struct sql_params p = { 0 };
	struct result r;
	struct arena a = { 0 };
	sql_int4(&p, f->limit);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	uint32_t n = 0;
	struct rollup_from *from =
		arena_array(&a, struct rollup_from, (size_t)r.n);
	while (result_next(&r))
		read_delta(&r, &a, &from[n++]);
	bool ok = add(db, &a, from, n, e);
	f->folded += n;
	result_release(&r);
	arena_release(&a);
	return ok;
}

static bool fold_kernels(struct db *db, struct fold *f, struct err *e)
{
	static const char sql[] =
		"WITH gone AS (DELETE FROM rollup_delta_kernel d "
		"USING (SELECT run_id, id FROM rollup_delta_kernel "
		"ORDER BY run_id, id LIMIT $1) next "
		"WHERE d.run_id = next.run_id AND d.id = next.id "
		"RETURNING d.kernel_id, d.runs, d.launches, d.total_ns), "
		"sums AS (SELECT kernel_id, sum(runs)::bigint AS runs, "
		"sum(launches)::bigint AS launches, "
		"sum(total_ns)::bigint AS total_ns "
		"FROM gone GROUP BY kernel_id ORDER BY kernel_id), "
		"added AS (INSERT INTO rollup_kernel AS k "
		"SELECT kernel_id, runs, launches, total_ns FROM sums "
		"ON CONFLICT (kernel_id) DO UPDATE "
		"SET runs = k.runs + excluded.runs, "
		"launches = k.launches + excluded.launches, "
		"total_ns = k.total_ns + excluded.total_ns) "
		"SELECT count(*) FROM gone";
	struct sql_params p = { 0 };
	struct result r;
	sql_int4(&p, f->limit);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	f->folded += result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

static bool fold(struct db *db, void *arg, struct err *e)
{
	struct fold *f = arg;
	f->folded = 0;
	return alone(db, e) && fold_runs(db, f, e) && fold_kernels(db, f, e) &&
	       sql_run(db,
		       "DELETE FROM rollup_kernel "
		       "WHERE runs = 0 AND launches = 0 AND total_ns = 0",
		       NULL, NULL, e);
}

bool rollup_left(struct db *db, bool *left, struct err *e)
{
	static const char sql[] = "SELECT EXISTS (SELECT FROM rollup_delta) "
				  "OR EXISTS (SELECT FROM rollup_delta_kernel)";
	const struct sql_params none = { 0 };
	struct result r;
	if (!sql_hot(db, sql, &none, &r, e))
		return false;
	*left = result_next(&r) && result_bool(&r);
	result_release(&r);
	return true;
}

bool rollup_fold(struct db *db, int limit, int64_t *folded, bool *left,
	struct err *e)
{
	struct fold f = { .limit = limit };
	*folded = 0;
	if (!rollup_left(db, left, e) || !*left)
		return e->code == ERR_NONE;
	if (!sql_transaction(db, fold, &f, e))
		return false;
	*folded = f.folded;
	return rollup_left(db, left, e);
}

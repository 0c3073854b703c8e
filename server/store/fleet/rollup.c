/* rollup.c - folds deltas into the sums: reads them, groups them by row, adds
 * them, writes the rows back. */
#include "rollup.h"
#include "int128.h"
#include "ledger.h"
#include "log.h"
#include "rollup_code.h"
#include "sql.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The delta of a run as it was read. */
struct rollup_from {
	int64_t run;
	int32_t day;
	const uint8_t *cell; /* 32 bytes */
	const char *project, *workload, *platform, *framework;
	struct int128_reader sums, shapes;
};

/* The sums that a delta adds to one row of one grain. */
struct rollup_entry {
	int64_t key;
	int32_t grain, first;
	const struct rollup_from *from;
	struct int128_reader bytes; /* bytes of a ledger */
};

struct rollup_entries {
	struct arena *arena;
	struct rollup_entry *rows;
	uint32_t n;
	size_t room;
};

/* Statements over arrays. Parameters: $1 key, $2 grain, $3 first, $4 cell;
 * `keep` also has $5 sums, $6 project, $7 workload, $8 platform, $9
 * framework. */
struct rollup_table {
	/* returns index (from 1) and bytes of existing rows */
	const char *read;
	const char *keep, *drop;
};

#define LISTS "unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]"

static const struct rollup_table rollup_cells = {
	"SELECT l.place, c.sums "
	"FROM " LISTS ") WITH ORDINALITY l (key, grain, first, cell, place) "
	"JOIN rollup_cell c ON c.grain = l.grain AND c.first = l.first "
	"AND c.cell = l.cell",
	"INSERT INTO rollup_cell (grain, first, cell, sums, project, workload, "
	"platform, framework) "
	"SELECT l.grain, l.first, l.cell, l.sums, l.project, l.workload, "
	"l.platform, l.framework "
	"FROM " LISTS ", $5::bytea[], $6::text[], $7::text[], $8::text[], "
	"$9::text[]) l (key, grain, first, cell, sums, project, workload, "
	"platform, framework) "
	"ON CONFLICT (grain, first, cell) DO UPDATE SET sums = excluded.sums",
	"DELETE FROM rollup_cell c "
	"USING " LISTS ") l (key, grain, first, cell) "
	"WHERE c.grain = l.grain AND c.first = l.first AND c.cell = l.cell",
};

static const struct rollup_table rollup_shapes = {
	"SELECT l.place, s.shapes "
	"FROM " LISTS ") WITH ORDINALITY l (key, grain, first, cell, place) "
	"JOIN rollup_shape s ON s.key_id = l.key AND s.grain = l.grain "
	"AND s.first = l.first AND s.cell = l.cell",
	"INSERT INTO rollup_shape (key_id, grain, first, cell, shapes) "
	"SELECT l.key, l.grain, l.first, l.cell, l.sums "
	"FROM " LISTS ", $5::bytea[], $6::text[], $7::text[], $8::text[], "
	"$9::text[]) l (key, grain, first, cell, sums, project, workload, "
	"platform, framework) "
	"ON CONFLICT (key_id, grain, first, cell) "
	"DO UPDATE SET shapes = excluded.shapes",
	"DELETE FROM rollup_shape s "
	"USING " LISTS ") l (key, grain, first, cell) "
	"WHERE s.key_id = l.key AND s.grain = l.grain "
	"AND s.first = l.first AND s.cell = l.cell",
};

static const struct rollup_table rollup_seen = {
	"SELECT l.place, s.seen "
	"FROM " LISTS ") WITH ORDINALITY l (key, grain, first, cell, place) "
	"JOIN rollup_seen s ON s.key_id = l.key",
	"INSERT INTO rollup_seen (key_id, seen) "
	"SELECT l.key, l.sums "
	"FROM " LISTS ", $5::bytea[], $6::text[], $7::text[], $8::text[], "
	"$9::text[]) l (key, grain, first, cell, sums, project, workload, "
	"platform, framework) "
	"ON CONFLICT (key_id) DO UPDATE SET seen = excluded.seen",
	"DELETE FROM rollup_seen s "
	"USING " LISTS ") l (key, grain, first, cell) "
	"WHERE s.key_id = l.key",
};

/* Maximum number of rows and bytes in one statement. */
enum { PIECE = 1000, PIECE_BYTES = 16 << 20, BLOB_MAX = 1 << 29 };
enum { CELL_BYTES = 32, COLUMNS = 9, KEYS = 4 };

static void rollup_entries_grow(struct rollup_entries *es)
{
	if (es->n + ROLLUP_GRAINS <= es->room)
		return;
	es->room = es->room ? es->room * 2 : 1024;
	es->rows = arena_grow(es->arena, es->rows, es->room * sizeof *es->rows);
}

/* Adds an entry for a row of a table that has no grains and cells. */
static void rollup_enter_all(struct rollup_entries *es, int64_t key,
	struct int128_reader bytes)
{
	static const uint8_t no_cell[CELL_BYTES];
	static const struct rollup_from all = { .cell = no_cell,
		.project = "",
		.workload = "",
		.platform = "",
		.framework = "" };
	rollup_entries_grow(es);
	es->rows[es->n++] = (struct rollup_entry){ key, 0, 0, &all, bytes };
}

/* Adds an entry for one row per grain. */
static void rollup_enter(struct rollup_entries *es,
	const struct rollup_from *from, int64_t key, struct int128_reader bytes)
{
	rollup_entries_grow(es);
	for (int i = 0; i < ROLLUP_GRAINS; i++) {
		int grain = rollup_grains[i];
		es->rows[es->n++] = (struct rollup_entry){ key, grain,
			rollup_first(grain, from->day), from, bytes };
	}
}

static int rollup_by_place(const void *a, const void *b)
{
	const struct rollup_entry *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->grain != y->grain)
		return x->grain < y->grain ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return memcmp(x->from->cell, y->from->cell, CELL_BYTES);
}

struct rollup_lists {
	struct sql_array c[COLUMNS];
};

static void rollup_lists_init(struct rollup_lists *l)
{
	static const enum sql_element types[COLUMNS] = { SQL_INT8, SQL_INT8,
		SQL_INT8, SQL_BYTES, SQL_BYTES, SQL_TEXT, SQL_TEXT, SQL_TEXT,
		SQL_TEXT };
	for (int i = 0; i < COLUMNS; i++)
		sql_array_init(&l->c[i], types[i]);
}

static void rollup_lists_release(struct rollup_lists *l)
{
	for (int i = 0; i < COLUMNS; i++)
		sql_array_release(&l->c[i]);
}

/* Adds the parameters of a row; `sums` NULL: only its key. */
static void rollup_lists_add(struct rollup_lists *l,
	const struct rollup_entry *en, const struct buf *sums)
{
	sql_array_int8(&l->c[0], en->key);
	sql_array_int8(&l->c[1], en->grain);
	sql_array_int8(&l->c[2], en->first);
	sql_array_add(&l->c[3], en->from->cell, CELL_BYTES);
	if (!sums)
		return;
	sql_array_add(&l->c[4], sums->at, (int64_t)sums->len);
	sql_array_text(&l->c[5], en->from->project);
	sql_array_text(&l->c[6], en->from->workload);
	sql_array_text(&l->c[7], en->from->platform);
	sql_array_text(&l->c[8], en->from->framework);
}

static bool rollup_lists_run(struct db *db, const char *sql,
	struct rollup_lists *l, int columns, struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	for (int i = 0; i < columns; i++)
		sql_array(&p, &l->c[i]);
	return sql_hot(db, sql, &p, r, e);
}

/* The entries [from, until), which belong to one row, and their ledger. */
struct rollup_group {
	uint32_t from, until;
	struct ledger sums;
};

/* Reads the current sums of the rows. */
static bool rollup_read_rows(struct db *db, const struct rollup_table *t,
	const struct rollup_entry *rows, struct rollup_group *groups,
	uint32_t n, struct err *e)
{
	struct rollup_lists l;
	struct result r;
	size_t len;
	rollup_lists_init(&l);
	for (uint32_t i = 0; i < n; i++)
		rollup_lists_add(&l, &rows[groups[i].from], NULL);
	bool ok = rollup_lists_run(db, t->read, &l, KEYS, &r, e);
	rollup_lists_release(&l);
	if (!ok)
		return false;
	while (ok && result_next(&r)) {
		int64_t place = result_int8(&r, 0);
		const uint8_t *at = result_bytes(&r, &len);
		struct int128_reader b = { at, at + len, false };
		ok = ledger_read(&groups[place - 1].sums, &b, 1);
	}
	result_release(&r);
	return ok || err_set(e, ERR_INTERNAL, "stored sums cannot be read");
}

static bool rollup_write_rows(struct db *db, const struct rollup_table *t,
	const struct rollup_entry *rows, const struct rollup_group *groups,
	uint32_t n, struct err *e)
{
	struct rollup_lists keep, drop;
	bool ok = true;
	for (uint32_t i = 0; ok && i < n;) {
		rollup_lists_init(&keep);
		rollup_lists_init(&drop);
		for (; i < n && keep.c[4].body.len < PIECE_BYTES; i++) {
			struct buf b;
			buf_init(&b, BLOB_MAX);
			ledger_write(&groups[i].sums, &b);
			if (ledger_is_empty(&groups[i].sums))
				rollup_lists_add(&drop, &rows[groups[i].from],
					NULL);
			else if (!b.full)
				rollup_lists_add(&keep, &rows[groups[i].from],
					&b);
			else
				ok = err_set(e, ERR_TOO_LARGE,
					"the sums of one row pass 512 MiB");
			buf_release(&b);
		}
		ok = ok && (!keep.c[0].n || rollup_lists_run(db, t->keep, &keep,
						    COLUMNS, NULL, e));
		ok = ok && (!drop.c[0].n || rollup_lists_run(db, t->drop, &drop,
						    KEYS, NULL, e));
		rollup_lists_release(&keep);
		rollup_lists_release(&drop);
	}
	return ok;
}

static bool rollup_add_piece(struct db *db, const struct rollup_table *t,
	const struct rollup_entry *rows, struct rollup_group *groups,
	uint32_t n, struct err *e)
{
	struct arena a = { 0 };
	for (uint32_t i = 0; i < n; i++)
		groups[i].sums = (struct ledger){ .arena = &a };
	bool ok = rollup_read_rows(db, t, rows, groups, n, e);
	for (uint32_t i = 0; ok && i < n; i++)
		for (uint32_t k = groups[i].from; ok && k < groups[i].until;
			k++) {
			struct int128_reader b = rows[k].bytes;
			ok = ledger_read(&groups[i].sums, &b, 1) ||
			     err_set(e, ERR_INTERNAL,
				     "sums that wait to be added cannot be "
				     "read");
		}
	ok = ok && rollup_write_rows(db, t, rows, groups, n, e);
	arena_release(&a);
	return ok;
}

/* Adds the entries to a table, after sorting them. Runs in the transaction of
 * the only fold. */
static bool rollup_table_add(struct db *db, const struct rollup_table *t,
	struct rollup_entries *es, struct err *e)
{
	struct rollup_group groups[PIECE];
	bool ok = true;
	if (es->n)
		qsort(es->rows, es->n, sizeof *es->rows, rollup_by_place);
	for (uint32_t i = 0; ok && i < es->n;) {
		uint32_t n = 0;
		for (; i < es->n && n < PIECE; n++) {
			groups[n].from = i++;
			while (i < es->n && !rollup_by_place(&es->rows[i - 1],
						    &es->rows[i]))
				i++;
			groups[n].until = i;
		}
		ok = rollup_add_piece(db, t, es->rows, groups, n, e);
	}
	return ok;
}

/* Any number that no other lock uses. */
#define ROLLUP_LOCK_KEY "7236284921357812"

struct rollup_folding {
	int limit;
	int64_t folded;
};

bool rollup_lock(struct db *db, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT pg_try_advisory_xact_lock(" ROLLUP_LOCK_KEY ")",
		    NULL, &r, e))
		return false;
	bool mine = result_next(&r) && result_bool(&r);
	result_release(&r);
	return mine || err_set(e, ERR_BUSY, "another process folds the sums");
}

static void rollup_read_delta(struct result *r, struct arena *a,
	struct rollup_from *d)
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

/* Reads the next ledger of a delta's shapes, and its key. */
static struct int128_reader rollup_next_shapes(struct int128_reader *b,
	int64_t *key)
{
	*key = (int64_t)int128_next(b);
	int128 len = int128_next(b);
	if (len < 0 || len > b->end - b->at)
		b->bad = true;
	struct int128_reader one = { b->at, b->at + (b->bad ? 0 : len),
		b->bad };
	b->at = one.end;
	return one;
}

/* Whether these bytes are exactly one ledger. */
static bool rollup_is_ledger(struct int128_reader b)
{
	struct arena a = { 0 };
	struct ledger l = { .arena = &a };
	bool ok = ledger_read(&l, &b, 1) && b.at == b.end;
	arena_release(&a);
	return ok;
}

/* Checks the delta, because a damaged one would make every later fold fail. */
static bool rollup_delta_is_readable(const struct rollup_from *d)
{
	struct int128_reader b = d->shapes;
	bool ok = rollup_is_ledger(d->sums);
	while (ok && b.at < b.end) {
		int64_t key;
		struct int128_reader one = rollup_next_shapes(&b, &key);
		ok = !one.bad && rollup_is_ledger(one);
	}
	if (!ok)
		log_error("rollup run=%lld what it adds to the sums cannot be "
			  "read; it is left out",
			(long long)d->run);
	return ok;
}

static void rollup_put_runs(void *ctx, int64_t shape, int128 runs)
{
	struct ledger *l = ctx;
	if (shape && runs)
		ledger_add(l, ledger_row(l, shape), SHAPE_RUNS, runs);
}

/* The number of runs that had each shape of a ledger, as a ledger. */
static struct int128_reader rollup_runs_of(struct arena *a,
	struct int128_reader shapes)
{
	struct ledger l = { .arena = a };
	struct buf b;
	buf_init(&b, (size_t)(shapes.end - shapes.at) + 1);
	(void)ledger_each(&shapes, SHAPE_RUNS, rollup_put_runs, &l);
	ledger_write(&l, &b);
	assert(!b.full);
	uint8_t *at = arena_alloc(a, b.len, 1);
	memcpy(at, b.at, b.len);
	struct int128_reader is = { at, at + b.len, false };
	buf_release(&b);
	return is;
}

/* Counts the changes of each platform, operator and type, so that their
 * fleet-bests are computed again (fleet_best.h). */
static bool rollup_change_bests(struct db *db,
	const struct rollup_entries *shapes, struct err *e)
{
	static const char sql[] =
		"INSERT INTO fleet_best_source AS s "
		"(platform, operator, dtype, changes) "
		"SELECT l.platform, k.operator, coalesce(k.dtype, ''), "
		"count(*) "
		"FROM unnest($1::text[], $2::bigint[]) l (platform, key) "
		"JOIN operator_key k ON k.id = l.key "
		"WHERE k.operator IS NOT NULL AND l.platform <> '' "
		"GROUP BY 1, 2, 3 "
		"ON CONFLICT (platform, operator, dtype) "
		"DO UPDATE SET changes = s.changes + excluded.changes";
	struct sql_params p = { 0 };
	struct sql_array platforms, keys;
	sql_array_init(&platforms, SQL_TEXT);
	sql_array_init(&keys, SQL_INT8);
	/* An entry per grain; each counts once. */
	for (uint32_t i = 0; i < shapes->n; i += ROLLUP_GRAINS) {
		sql_array_text(&platforms, shapes->rows[i].from->platform);
		sql_array_int8(&keys, shapes->rows[i].key);
	}
	sql_array(&p, &platforms);
	sql_array(&p, &keys);
	bool ok = sql_hot(db, sql, &p, NULL, e);
	sql_array_release(&platforms);
	sql_array_release(&keys);
	return ok;
}

/* Adds the deltas to all grains of cells and shapes, and to the table of all
 * shapes seen. */
static bool rollup_add_deltas(struct db *db, struct arena *a,
	const struct rollup_from *from, uint32_t n, struct err *e)
{
	struct rollup_entries cells = { .arena = a }, shapes = { .arena = a },
			      seen = { .arena = a };
	for (uint32_t i = 0; i < n; i++) {
		struct int128_reader b = from[i].shapes;
		if (!rollup_delta_is_readable(&from[i]))
			continue;
		rollup_enter(&cells, &from[i], 0, from[i].sums);
		while (b.at < b.end) {
			int64_t key;
			struct int128_reader one = rollup_next_shapes(&b, &key);
			rollup_enter(&shapes, &from[i], key, one);
			rollup_enter_all(&seen, key, rollup_runs_of(a, one));
		}
	}
	/* before the entries are sorted */
	return rollup_change_bests(db, &shapes, e) &&
	       rollup_table_add(db, &rollup_cells, &cells, e) &&
	       rollup_table_add(db, &rollup_shapes, &shapes, e) &&
	       rollup_table_add(db, &rollup_seen, &seen, e);
}

/* Selects by primary key, because the index skips the dead rows at its
 * start. */
static bool rollup_fold_runs(struct db *db, struct rollup_folding *f,
	struct err *e)
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
		rollup_read_delta(&r, &a, &from[n++]);
	bool ok = rollup_add_deltas(db, &a, from, n, e);
	f->folded += n;
	result_release(&r);
	arena_release(&a);
	return ok;
}

static bool rollup_fold_kernels(struct db *db, struct rollup_folding *f,
	struct err *e)
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

static bool rollup_fold_work(struct db *db, void *arg, struct err *e)
{
	struct rollup_folding *f = arg;
	f->folded = 0;
	return rollup_lock(db, e) && rollup_fold_runs(db, f, e) &&
	       rollup_fold_kernels(db, f, e) &&
	       sql_run(db,
		       "DELETE FROM rollup_kernel "
		       "WHERE runs = 0 AND launches = 0 AND total_ns = 0",
		       NULL, NULL, e);
}

/* Whether any delta is waiting. */
static bool rollup_left(struct db *db, bool *left, struct err *e)
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
	struct rollup_folding f = { .limit = limit };
	*folded = 0;
	if (!rollup_left(db, left, e) || !*left)
		return e->code == ERR_NONE;
	if (!sql_transaction(db, rollup_fold_work, &f, e))
		return false;
	*folded = f.folded;
	return rollup_left(db, left, e);
}

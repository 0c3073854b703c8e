/* rollup_table.c - a rollup's rows are read, added to, and written back, some at
 * a time. */
#include "rollup_table.h"
#include "ledger.h"
#include "rollup_code.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

#define LISTS "unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]"

const struct rollup_table rollup_cells = {
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

const struct rollup_table rollup_shapes = {
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

const struct rollup_table rollup_seen = {
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

/* Rows of one statement, and bytes of them, beyond which the next begins. */
enum { PIECE = 1000, PIECE_BYTES = 16 << 20, BLOB_MAX = 1 << 29 };
enum { CELL_BYTES = 32, COLUMNS = 9, KEYS = 4 };

static void room_for_more(struct rollup_entries *es)
{
	if (es->n + ROLLUP_GRAINS <= es->room)
		return;
	es->room = es->room ? es->room * 2 : 1024;
	es->rows = arena_grow(es->arena, es->rows, es->room * sizeof *es->rows);
}

void rollup_enter_all(struct rollup_entries *es, int64_t key,
	struct wide_bytes bytes)
{
	static const uint8_t no_cell[CELL_BYTES];
	static const struct rollup_from all = { .cell = no_cell,
		.project = "",
		.workload = "",
		.platform = "",
		.framework = "" };
	room_for_more(es);
	es->rows[es->n++] = (struct rollup_entry){ key, 0, 0, &all, bytes };
}

void rollup_enter(struct rollup_entries *es, const struct rollup_from *from,
	int64_t key, struct wide_bytes bytes)
{
	room_for_more(es);
	for (int i = 0; i < ROLLUP_GRAINS; i++) {
		int grain = rollup_grains[i];
		es->rows[es->n++] = (struct rollup_entry){ key, grain,
			rollup_first(grain, from->day), from, bytes };
	}
}

static int by_place(const void *a, const void *b)
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

struct lists {
	struct sql_array c[COLUMNS];
};

static void lists_init(struct lists *l)
{
	static const enum sql_element types[COLUMNS] = { SQL_INT8, SQL_INT8,
		SQL_INT8, SQL_BYTES, SQL_BYTES, SQL_TEXT, SQL_TEXT, SQL_TEXT,
		SQL_TEXT };
	for (int i = 0; i < COLUMNS; i++)
		sql_array_init(&l->c[i], types[i]);
}

static void lists_release(struct lists *l)
{
	for (int i = 0; i < COLUMNS; i++)
		sql_array_release(&l->c[i]);
}

/* `sums` NULL: the key alone. */
static void lists_add(struct lists *l, const struct rollup_entry *en,
	const struct buf *sums)
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

static bool lists_run(struct db *db, const char *sql, struct lists *l,
	int columns, struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	for (int i = 0; i < columns; i++)
		sql_array(&p, &l->c[i]);
	return sql_hot(db, sql, &p, r, e);
}

/* Rows that belong together: entries [from, until), one ledger. */
struct group {
	uint32_t from, until;
	struct ledger sums;
};

/* What is there already. */
static bool read_rows(struct db *db, const struct rollup_table *t,
	const struct rollup_entry *rows, struct group *groups, uint32_t n,
	struct err *e)
{
	struct lists l;
	struct result r;
	size_t len;
	lists_init(&l);
	for (uint32_t i = 0; i < n; i++)
		lists_add(&l, &rows[groups[i].from], NULL);
	bool ok = lists_run(db, t->read, &l, KEYS, &r, e);
	lists_release(&l);
	if (!ok)
		return false;
	while (ok && result_next(&r)) {
		int64_t place = result_int8(&r, 0);
		const uint8_t *at = result_bytes(&r, &len);
		struct wide_bytes b = { at, at + len, false };
		ok = ledger_read(&groups[place - 1].sums, &b, 1);
	}
	result_release(&r);
	return ok || err_set(e, ERR_INTERNAL, "stored sums cannot be read");
}

static bool write_rows(struct db *db, const struct rollup_table *t,
	const struct rollup_entry *rows, const struct group *groups, uint32_t n,
	struct err *e)
{
	struct lists keep, drop;
	bool ok = true;
	for (uint32_t i = 0; ok && i < n;) {
		lists_init(&keep);
		lists_init(&drop);
		for (; i < n && keep.c[4].body.len < PIECE_BYTES; i++) {
			struct buf b;
			buf_init(&b, BLOB_MAX);
			ledger_write(&groups[i].sums, &b);
			if (ledger_is_empty(&groups[i].sums))
				lists_add(&drop, &rows[groups[i].from], NULL);
			else if (!b.full)
				lists_add(&keep, &rows[groups[i].from], &b);
			else
				ok = err_set(e, ERR_TOO_LARGE,
					"the sums of one row pass 512 MiB");
			buf_release(&b);
		}
		ok = ok && (!keep.c[0].n || lists_run(db, t->keep, &keep,
						    COLUMNS, NULL, e));
		ok = ok && (!drop.c[0].n || lists_run(db, t->drop, &drop, KEYS,
						    NULL, e));
		lists_release(&keep);
		lists_release(&drop);
	}
	return ok;
}

static bool add_piece(struct db *db, const struct rollup_table *t,
	const struct rollup_entry *rows, struct group *groups, uint32_t n,
	struct err *e)
{
	struct arena a = { 0 };
	for (uint32_t i = 0; i < n; i++)
		groups[i].sums = (struct ledger){ .arena = &a };
	bool ok = read_rows(db, t, rows, groups, n, e);
	for (uint32_t i = 0; ok && i < n; i++)
		for (uint32_t k = groups[i].from; ok && k < groups[i].until;
			k++) {
			struct wide_bytes b = rows[k].bytes;
			ok = ledger_read(&groups[i].sums, &b, 1) ||
			     err_set(e, ERR_INTERNAL,
				     "sums that wait to be added cannot be "
				     "read");
		}
	ok = ok && write_rows(db, t, rows, groups, n, e);
	arena_release(&a);
	return ok;
}

bool rollup_table_add(struct db *db, const struct rollup_table *t,
	struct rollup_entries *es, struct err *e)
{
	struct group groups[PIECE];
	bool ok = true;
	if (es->n)
		qsort(es->rows, es->n, sizeof *es->rows, by_place);
	for (uint32_t i = 0; ok && i < es->n;) {
		uint32_t n = 0;
		for (; i < es->n && n < PIECE; n++) {
			groups[n].from = i++;
			while (i < es->n &&
				!by_place(&es->rows[i - 1], &es->rows[i]))
				i++;
			groups[n].until = i;
		}
		ok = add_piece(db, t, es->rows, groups, n, e);
	}
	return ok;
}

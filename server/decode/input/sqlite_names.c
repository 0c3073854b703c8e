/* sqlite_names.c - a memory of numbers in front of one prepared lookup. */
#include "sqlite_names.h"
#include <sqlite3.h>
#include <strings.h>

enum { SLOTS = 256, LOOKUP_PAGES = 40 };
/* Columns of PRAGMA table_xinfo. */
enum { INFO_NAME = 1, INFO_TYPE = 2, INFO_KEY = 5 };

static size_t slot_of(const struct sqlite_names *n, int64_t id)
{
	uint64_t h = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
	size_t i = (size_t)(h >> 20) & (n->known_cap - 1);
	while (n->known[i].name && n->known[i].id != id)
		i = (i + 1) & (n->known_cap - 1);
	return i;
}

static bool grow(struct sqlite_names *n)
{
	struct arena *a = n->file->trace->arena;
	struct sqlite_names old = *n;
	n->known_cap = old.known_cap ? old.known_cap * 2 : SLOTS;
	n->known = arena_grow(a, NULL, n->known_cap * sizeof *n->known);
	if (!n->known) {
		*n = old;
		return false;
	}
	for (size_t i = 0; i < old.known_cap; i++)
		if (old.known[i].name)
			n->known[slot_of(n, old.known[i].id)] = old.known[i];
	arena_drop(a, old.known);
	return true;
}

static bool remember(struct sqlite_names *n, int64_t id, uint32_t name)
{
	if (2 * n->known_n >= n->known_cap && !grow(n))
		return false;
	size_t i = slot_of(n, id);
	n->known_n += n->known[i].name == 0;
	n->known[i].id = id;
	n->known[i].name = name + 1;
	return true;
}

/* Whether the column is the table's row number: its only key, and INTEGER. */
static bool is_row_number(struct sqlite_file *f, const char *table,
	const char *id)
{
	struct sqlite3_stmt *s;
	int keys = 0, ours = 0;
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", table), &s);
	while (code == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
		const char *name =
			(const char *)sqlite3_column_text(s, INFO_NAME);
		const char *type =
			(const char *)sqlite3_column_text(s, INFO_TYPE);
		if (sqlite3_column_int(s, INFO_KEY) == 0)
			continue;
		keys++;
		ours += name && type && !strcasecmp(name, id) &&
			!strcasecmp(type, "INTEGER");
	}
	sqlite3_finalize(s);
	return keys == 1 && ours == 1;
}

static bool load(struct sqlite_names *n, const char *id, const char *value,
	struct err *e)
{
	const struct sqlite_column columns[] = { { id, true },
		{ value, true } };
	struct sqlite_rows r;
	int64_t number;
	bool full = false;
	bool ok = sqlite_rows_open(&r, n->file, n->table, columns, 2, e);
	while (ok && !full && sqlite_rows_next(&r)) {
		if (!sqlite_int(&r, 0, &number))
			continue;
		uint32_t name = sqlite_text(&r, 1, n->text);
		full = name == NAMES_NONE || !remember(n, number, name);
	}
	ok = sqlite_rows_close(&r, e) && ok;
	return ok && (!full || arena_err(n->file->trace->arena, e));
}

bool sqlite_names_open(struct sqlite_names *n, struct sqlite_file *f,
	const char *table, const char *id, const char *value, struct text *t,
	struct err *e)
{
	*n = (struct sqlite_names){ .file = f,
		.text = t,
		.table = table ? sqlite_file_table(f, table) : NULL };
	if (!grow(n))
		return arena_err(f->trace->arena, e);
	if (!n->table)
		return true;
	if (!is_row_number(f, n->table, id))
		return load(n, id, value, e);
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" NOT INDEXED "
				"WHERE \"%w\" = ?1",
			value, n->table, id),
		&n->stmt);
	return code == SQLITE_OK || load(n, id, value, e);
}

static void damaged(struct sqlite_names *n)
{
	if (!n->damaged)
		note_add(&n->file->trace->notes, NOTE_sqlite_damaged, 1,
			n->table, strlen(n->table));
	n->damaged = true;
}

/* More text than the file holds, or rows walked one by one: the file was made
 * so that looking up costs more than reading it. */
static bool overspent(const struct sqlite_names *n)
{
	return n->bytes > 2 * n->file->copy.bytes ||
	       sqlite3_stmt_status(n->stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP,
		       0) > 0;
}

static bool look_up(struct sqlite_names *n, int64_t id, uint32_t *name,
	struct err *e)
{
	struct sqlite_file *f = n->file;
	f->quiet = 0;
	sqlite3_bind_int64(n->stmt, 1, id);
	int code = sqlite3_step(n->stmt);
	bool ok = true;
	if (code == SQLITE_ROW) {
		struct span s = {
			.at = (const char *)sqlite3_column_text(n->stmt, 0)
		};
		s.len = (uint32_t)sqlite3_column_bytes(n->stmt, 0);
		n->bytes += s.len;
		sqlite_file_allow(f,
			LOOKUP_PAGES + (int64_t)s.len * 2 / f->copy.page_bytes);
		*name = s.at ? text_id(n->text, &s) : 0;
	} else if (code != SQLITE_DONE) {
		ok = sqlite_file_damage(f, code, e);
		if (ok)
			damaged(n);
	}
	sqlite3_reset(n->stmt);
	return ok;
}

bool sqlite_names_of(struct sqlite_names *n, int64_t id, uint32_t *name,
	struct err *e)
{
	size_t i = slot_of(n, id);
	*name = n->known[i].name ? n->known[i].name - 1 : 0;
	if (n->known[i].name || !n->stmt)
		return true;
	if (overspent(n)) {
		damaged(n);
		return true;
	}
	if (!look_up(n, id, name, e))
		return false;
	return (*name != NAMES_NONE && remember(n, id, *name)) ||
	       arena_err(n->file->trace->arena, e);
}

void sqlite_names_close(struct sqlite_names *n)
{
	sqlite3_finalize(n->stmt);
	if (n->known)
		arena_drop(n->file->trace->arena, n->known);
	n->stmt = NULL;
	n->known = NULL;
}

/* sqlite_rows.c - reads the rows of a table, and the texts that rows name by number */
#include "sqlite_rows.h"
#include <math.h>
#include <sqlite3.h>
#include <strings.h>

/* The least a row takes in a page: its pointer and its cell. */
enum { ROW_MIN = 6, CHECK_EVERY = 64 };
/* Columns of PRAGMA table_xinfo. */
enum { INFO_NAME = 1, INFO_TYPE = 2, INFO_KEY = 5, INFO_HIDDEN = 6 };

static void sqlite_rows_note_table(const struct sqlite_rows *r,
	enum note_code code, const char *what)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%s%s%s", r->table, what ? "." : "",
		what ? what : "");
	note_add(&r->file->trace->notes, code, 1, text,
		(size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* Marks which of the columns the table has; those that are computed are
 * none. */
static int sqlite_rows_find_columns(struct sqlite_rows *r, int n)
{
	struct sqlite3_stmt *s;
	int code = sqlite_file_prepare(r->file,
		sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", r->table), &s);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(s);
		if (code != SQLITE_ROW)
			break;
		const char *name =
			(const char *)sqlite3_column_text(s, INFO_NAME);
		if (!name || sqlite3_column_int(s, INFO_HIDDEN))
			continue;
		for (int i = 0; i < n; i++)
			if (!strcasecmp(r->columns[i].name, name))
				r->present |= UINT64_C(1) << i;
	}
	sqlite3_finalize(s);
	return code;
}

/* SELECT "a", NULL, "b" FROM "t": an absent column is NULL in its place. */
static char *sqlite_rows_select_sql(const struct sqlite_rows *r, int n)
{
	sqlite3_str *s = sqlite3_str_new(r->file->db);
	for (int i = 0; i < n; i++) {
		const char *comma = i ? ", " : "SELECT ";
		if (r->present >> i & 1)
			sqlite3_str_appendf(s, "%s\"%w\"", comma,
				r->columns[i].name);
		else
			sqlite3_str_appendf(s, "%sNULL", comma);
	}
	sqlite3_str_appendf(s, " FROM \"%w\" NOT INDEXED", r->table);
	return sqlite3_str_finish(s);
}

static bool sqlite_rows_complete(const struct sqlite_rows *r, int n)
{
	for (int i = 0; i < n; i++)
		if (r->columns[i].must && !(r->present >> i & 1)) {
			sqlite_rows_note_table(r, NOTE_sqlite_no_column,
				r->columns[i].name);
			return false;
		}
	return true;
}

bool sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f,
	const char *table, const struct sqlite_column *columns, int n,
	struct err *e)
{
	*r = (struct sqlite_rows){ .file = f,
		.columns = columns,
		.table = sqlite_file_table(f, table),
		.code = SQLITE_DONE };
	if (!r->table)
		return true;
	f->quiet = 0;
	int code = sqlite_rows_find_columns(r, n);
	if (code == SQLITE_DONE && !sqlite_rows_complete(r, n))
		return true;
	if (code == SQLITE_DONE)
		code = sqlite_file_prepare(f, sqlite_rows_select_sql(r, n),
			&r->stmt);
	if (code != SQLITE_OK) {
		r->code = code;
		return sqlite_file_damage(f, code, e);
	}
	sqlite_file_allow(f,
		(2 + n) * (f->copy.bytes / f->copy.page_bytes + 1));
	return true;
}

bool sqlite_rows_next(struct sqlite_rows *r)
{
	struct sqlite_file *f = r->file;
	if (!r->stmt)
		return false;
	f->quiet = 0;
	r->code = sqlite3_step(r->stmt);
	if (r->code != SQLITE_ROW)
		return false;
	r->rows++;
	r->looped = r->rows > f->copy.bytes / ROW_MIN ||
		    (r->rows % CHECK_EVERY == 0 && !sqlite_file_within(f));
	return !r->looped;
}

bool sqlite_rows_close(struct sqlite_rows *r, struct err *e)
{
	bool ended = r->code == SQLITE_DONE || r->code == SQLITE_ROW;
	bool ok = ended || sqlite_file_damage(r->file, r->code, e);
	if (ok && !ended)
		sqlite_rows_note_table(r, NOTE_sqlite_damaged, NULL);
	if (r->looped)
		sqlite_rows_note_table(r, NOTE_sqlite_endless, NULL);
	sqlite3_finalize(r->stmt);
	r->stmt = NULL;
	r->code = SQLITE_DONE;
	r->looped = false;
	return ok;
}

bool sqlite_has(const struct sqlite_rows *r, int column)
{
	return sqlite3_column_type(r->stmt, column) != SQLITE_NULL;
}

bool sqlite_int(struct sqlite_rows *r, int column, int64_t *value)
{
	int type = sqlite3_column_type(r->stmt, column);
	if (type == SQLITE_INTEGER) {
		*value = sqlite3_column_int64(r->stmt, column);
		return true;
	}
	if (type == SQLITE_NULL)
		return false;
	if (type == SQLITE_FLOAT) {
		double real = sqlite3_column_double(r->stmt, column);
		if (fabs(real) <= (double)TRACE_TIME_MAX_NS &&
			real == (double)(int64_t)real) {
			*value = (int64_t)real;
			return true;
		}
	}
	sqlite_rows_note_table(r, NOTE_sqlite_type, r->columns[column].name);
	return false;
}

int64_t sqlite_int_or(struct sqlite_rows *r, int column, int64_t otherwise)
{
	sqlite_int(r, column, &otherwise);
	return otherwise;
}

int32_t sqlite_small(struct sqlite_rows *r, int column)
{
	int64_t v = sqlite_int_or(r, column, -1);
	return v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
}

double sqlite_real_or(struct sqlite_rows *r, int column, double otherwise)
{
	int type = sqlite3_column_type(r->stmt, column);
	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		return sqlite3_column_double(r->stmt, column);
	if (type != SQLITE_NULL)
		sqlite_rows_note_table(r, NOTE_sqlite_type,
			r->columns[column].name);
	return otherwise;
}

bool sqlite_bytes(struct sqlite_rows *r, int column, const char **at,
	size_t *len)
{
	int type = sqlite3_column_type(r->stmt, column);
	*at = NULL;
	if (type == SQLITE_BLOB)
		*at = sqlite3_column_blob(r->stmt, column);
	else if (type != SQLITE_NULL)
		*at = (const char *)sqlite3_column_text(r->stmt, column);
	*len = *at ? (size_t)sqlite3_column_bytes(r->stmt, column) : 0;
	if (!*at && type == SQLITE_BLOB)
		*at = "";
	return *at != NULL;
}

uint32_t sqlite_text(struct sqlite_rows *r, int column, struct text *t)
{
	struct text_span s = { .escaped = false };
	size_t len;
	if (!sqlite_bytes(r, column, &s.at, &len))
		return 0;
	s.len = (uint32_t)len;
	return text_id(t, &s);
}

enum { SLOTS = 256, LOOKUP_PAGES = 40 };
/* Columns of PRAGMA table_xinfo. */

static size_t sqlite_rows_names_slot_of(const struct sqlite_names *n,
	int64_t id)
{
	uint64_t h = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
	size_t i = (size_t)(h >> 20) & (n->known_cap - 1);
	while (n->known[i].name && n->known[i].id != id)
		i = (i + 1) & (n->known_cap - 1);
	return i;
}

static bool sqlite_rows_names_grow(struct sqlite_names *n)
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
			n->known[sqlite_rows_names_slot_of(n,
				old.known[i].id)] = old.known[i];
	arena_drop(a, old.known);
	return true;
}

static bool sqlite_rows_names_remember(struct sqlite_names *n, int64_t id,
	uint32_t name)
{
	if (2 * n->known_n >= n->known_cap && !sqlite_rows_names_grow(n))
		return false;
	size_t i = sqlite_rows_names_slot_of(n, id);
	n->known_n += n->known[i].name == 0;
	n->known[i].id = id;
	n->known[i].name = name + 1;
	return true;
}

/* Whether the column is the table's row number: its only key, and INTEGER. */
static bool sqlite_rows_names_is_row_number(struct sqlite_file *f,
	const char *table, const char *id)
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

static bool sqlite_rows_names_load(struct sqlite_names *n, const char *id,
	const char *value, struct err *e)
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
		full = name == NAMES_NONE ||
		       !sqlite_rows_names_remember(n, number, name);
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
	if (!sqlite_rows_names_grow(n))
		return arena_err(f->trace->arena, e);
	if (!n->table)
		return true;
	if (!sqlite_rows_names_is_row_number(f, n->table, id))
		return sqlite_rows_names_load(n, id, value, e);
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" NOT INDEXED "
				"WHERE \"%w\" = ?1",
			value, n->table, id),
		&n->stmt);
	return code == SQLITE_OK || sqlite_rows_names_load(n, id, value, e);
}

static void sqlite_rows_names_damaged(struct sqlite_names *n)
{
	if (!n->damaged)
		note_add(&n->file->trace->notes, NOTE_sqlite_damaged, 1,
			n->table, strlen(n->table));
	n->damaged = true;
}

/* More text than the file holds, or rows walked one by one: the file was made
 * so that looking up costs more than reading it. */
static bool sqlite_rows_names_overspent(const struct sqlite_names *n)
{
	return n->bytes > 2 * n->file->copy.bytes ||
	       sqlite3_stmt_status(n->stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP,
		       0) > 0;
}

static bool sqlite_rows_names_look_up(struct sqlite_names *n, int64_t id,
	uint32_t *name, struct err *e)
{
	struct sqlite_file *f = n->file;
	f->quiet = 0;
	sqlite3_bind_int64(n->stmt, 1, id);
	int code = sqlite3_step(n->stmt);
	bool ok = true;
	if (code == SQLITE_ROW) {
		struct text_span s = {
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
			sqlite_rows_names_damaged(n);
	}
	sqlite3_reset(n->stmt);
	return ok;
}

bool sqlite_names_of(struct sqlite_names *n, int64_t id, uint32_t *name,
	struct err *e)
{
	size_t i = sqlite_rows_names_slot_of(n, id);
	*name = n->known[i].name ? n->known[i].name - 1 : 0;
	if (n->known[i].name || !n->stmt)
		return true;
	if (sqlite_rows_names_overspent(n)) {
		sqlite_rows_names_damaged(n);
		return true;
	}
	if (!sqlite_rows_names_look_up(n, id, name, e))
		return false;
	return (*name != NAMES_NONE &&
		       sqlite_rows_names_remember(n, id, *name)) ||
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

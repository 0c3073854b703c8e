/* sqlite_rows.c - finds the columns, asks for them, minds what comes. */
#include "sqlite_rows.h"
#include <math.h>
#include <sqlite3.h>
#include <strings.h>

/* The least a row takes in a page: its pointer and its cell. */
enum { ROW_LEAST = 6, CHECK_EVERY = 64 };
/* Columns of PRAGMA table_xinfo. */
enum { INFO_NAME = 1, INFO_HIDDEN = 6 };

static void note_table(const struct sqlite_rows *r, enum note_code code,
	const char *what)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%s%s%s", r->table, what ? "." : "",
		what ? what : "");
	note_add(&r->file->trace->notes, code, 1, text,
		(size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* Marks which of the columns the table has; those that are computed are
 * none. */
static int find_columns(struct sqlite_rows *r, int n)
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
static char *select_sql(const struct sqlite_rows *r, int n)
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

static bool complete(const struct sqlite_rows *r, int n)
{
	for (int i = 0; i < n; i++)
		if (r->columns[i].must && !(r->present >> i & 1)) {
			note_table(r, NOTE_sqlite_no_column,
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
	int code = find_columns(r, n);
	if (code == SQLITE_DONE && !complete(r, n))
		return true;
	if (code == SQLITE_DONE)
		code = sqlite_file_prepare(f, select_sql(r, n), &r->stmt);
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
	r->looped = r->rows > f->copy.bytes / ROW_LEAST ||
		    (r->rows % CHECK_EVERY == 0 && !sqlite_file_within(f));
	return !r->looped;
}

bool sqlite_rows_close(struct sqlite_rows *r, struct err *e)
{
	bool ended = r->code == SQLITE_DONE || r->code == SQLITE_ROW;
	bool ok = ended || sqlite_file_damage(r->file, r->code, e);
	if (ok && !ended)
		note_table(r, NOTE_sqlite_damaged, NULL);
	if (r->looped)
		note_table(r, NOTE_sqlite_endless, NULL);
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
	note_table(r, NOTE_sqlite_type, r->columns[column].name);
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
		note_table(r, NOTE_sqlite_type, r->columns[column].name);
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
	struct span s = { .escaped = false };
	size_t len;
	if (!sqlite_bytes(r, column, &s.at, &len))
		return 0;
	s.len = (uint32_t)len;
	return text_id(t, &s);
}

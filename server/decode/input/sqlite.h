/* sqlite.h - reads a SQLite database that is an upload: its rows, and texts that
 * rows name by number */
#pragma once
#include "byte_window.h"
#include "text.h"
#include "trace.h"

/* A database's uncompressed bytes, in a private file without a name.
 *
 * SQLite needs random access, but the file arrives as a stream, so the bytes
 * are copied into $TMPDIR or /tmp, to a file that no other process can open or
 * change and that disappears when it is closed. Two claims of the header are
 * removed from the copy because either would keep a readable file from being
 * read: that it has a write-ahead log, and how many pages it has. */

struct sqlite_copy {
	int fd; /* -1 if there is none */
	int64_t bytes;
	int32_t page_bytes;
	int64_t pages_claimed; /* by the header; 0 if it has no valid count */
	bool wal; /* the header calls for a write-ahead log */
};

/* A database from anybody, read as a hostile file is.
 *
 * SQLite sees a private copy through a VFS that only reads. Of its contents
 * only the plain tables are used: no view, no trigger, no virtual table, no
 * index, no generated column, no function; what the schema says is not trusted,
 * and sizes are limited. How long reading may take is bounded by the file's
 * bytes, however its pages point at each other. */

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_file {
	struct sqlite3 *db;
	struct sqlite_copy copy;
	struct byte_window *window; /* whose caller gets reports of progress */
	struct trace *trace; /* whose arena and notes are used */
	const char **tables; /* the plain ones, as the file spells them */
	size_t tables_n, tables_cap;
	struct err stop; /* what the caller ended reading with */
	int quiet; /* calls of the progress handler since a row came */
	int64_t pages_allowed, pages_fetched;
};

/* The window is at the file's first byte. False with *e: the error of
 * sqlite_copy_new(), or ERR_TRACE if SQLite cannot read the list of tables.
 * Call sqlite_file_close() in any case. */
bool sqlite_file_open(struct sqlite_file *f, struct byte_window *w,
	struct trace *t, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* The table of that name, ignoring case, as the file spells it; NULL if there
 * is no plain table of that name. */
const char *sqlite_file_table(const struct sqlite_file *f, const char *name);
/* The first table at or behind *i whose name begins with `prefix`, or NULL if
 * there is none. *i is then behind it. Start with 0. */
const char *sqlite_file_prefix(const struct sqlite_file *f, const char *prefix,
	size_t *i);

/* The rows of one table in the order in which they are stored.
 *
 *   static const struct sqlite_column columns[] = { { "start", true }, … };
 *   struct sqlite_rows r;
 *   bool ok = sqlite_rows_open(&r, f, "T", columns, N, e);
 *   while (ok && sqlite_rows_next(&r))
 *           ok = take(sqlite_int_or(&r, START, -1), …);
 *   return sqlite_rows_close(&r, e) && ok;
 *
 * An absent table has no rows. One that lacks a required column has none
 * either, which is noted (sqlite_no_column). Damage in the middle is noted
 * (sqlite_damaged); the rows before it are good. A table that lists more rows,
 * or costs more to read, than its file can hold is noted (sqlite_endless), and
 * none of its rows can be trusted. */

struct sqlite_column {
	const char *name;
	bool must; /* without it the table is of no use */
};

struct sqlite_rows {
	struct sqlite_file *file;
	struct sqlite3_stmt *stmt; /* NULL: no rows */
	const char *table;
	const struct sqlite_column *columns;
	uint64_t present; /* bit i: the table has column i */
	int64_t rows; /* read so far */
	int code; /* SQLite's last word */
	bool looped; /* more rows than the file can hold */
};

enum { SQLITE_COLUMNS_MOST = 64 };

/* False only with *e, and `r` may then be closed all the same. `columns` must
 * outlive `r`; the case of `table` is ignored. */
bool sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f,
	const char *table, const struct sqlite_column *columns, int n,
	struct err *e);
/* False at the end and on errors; sqlite_rows_close() distinguishes them. */
bool sqlite_rows_next(struct sqlite_rows *r);
/* False with *e where reading ended for a reason that is not the file's. */
bool sqlite_rows_close(struct sqlite_rows *r, struct err *e);

/* The values of the row, by the column's index in `columns`. NULL, or an absent
 * column, is no value. A value that is not a number is noted (sqlite_type) and
 * is no value either; a real without a fraction is a whole number. */
bool sqlite_has(const struct sqlite_rows *r, int column);
bool sqlite_int(struct sqlite_rows *r, int column, int64_t *value);
int64_t sqlite_int_or(struct sqlite_rows *r, int column, int64_t otherwise);
/* The same for values that are never negative and have 32 bits; -1 if there is
 * none. */
int32_t sqlite_small(struct sqlite_rows *r, int column);
double sqlite_real_or(struct sqlite_rows *r, int column, double otherwise);
/* Text as UTF-8 (not necessarily valid), numbers as their text, a blob's
 * bytes. Good until the next row. */
bool sqlite_bytes(struct sqlite_rows *r, int column, const char **at,
	size_t *len);
/* The same as a name of the trace: 0 if there is no value, NAMES_NONE if the
 * arena is full. */
uint32_t sqlite_text(struct sqlite_rows *r, int column, struct text *t);

/* Texts that rows name by number: StringIds, rocpd_string.
 *
 * Each number is looked up once, when a row first names it; the table is never
 * loaded whole, unless its numbers are not its row numbers, which no exporter
 * known does. */
struct sqlite_names {
	struct sqlite_file *file;
	struct sqlite3_stmt *stmt; /* NULL: all that there is is in `known` */
	struct text *text;
	const char *table;
	struct sqlite_names_slot {
		int64_t id;
		uint32_t name; /* + 1; 0: empty */
	} * known;
	size_t known_n, known_cap;
	int64_t bytes; /* read so far */
	bool damaged;
};

/* `table` may be NULL or absent: then no number has a text. False only with
 * *e; sqlite_names_close() in any case. */
bool sqlite_names_open(struct sqlite_names *n, struct sqlite_file *f,
	const char *table, const char *id, const char *value, struct text *t,
	struct err *e);
/* *name is 0 where the number has no text. False only with *e. */
bool sqlite_names_of(struct sqlite_names *n, int64_t id, uint32_t *name,
	struct err *e);
void sqlite_names_close(struct sqlite_names *n);

/* sqlite.h - reads an SQLite database that was uploaded: its rows, and the
 * texts that rows name by number. */
#pragma once
#include "byte_window.h"
#include "text.h"
#include "trace.h"

/* A database's uncompressed bytes, in a private file without a name.
 *
 * SQLite needs random access, but the file arrives as a stream, so the bytes
 * are copied into $TMPDIR or /tmp, to a file that no other process can open or
 * change and that disappears when it is closed. Two values of the header are
 * removed from the copy, because each can make SQLite reject a readable file:
 * the flag for a write-ahead log, and the number of pages. */

struct sqlite_copy {
	int fd; /* -1 if there is none */
	int64_t bytes;
	int32_t page_bytes;
	/* according to the header; 0 if its count is invalid */
	int64_t pages_claimed;
	bool wal; /* the header has the flag for a write-ahead log */
};

/* A database from an unknown sender, read as a hostile file.
 *
 * SQLite reads a private copy through a read-only VFS. Only plain tables are
 * used: no view, trigger, virtual table, index, generated column or function.
 * The schema is not trusted, and sizes are limited. The file's size bounds the
 * time that reading takes, however its pages refer to each other. */

struct sqlite3;
struct sqlite3_stmt;

struct sqlite_file {
	struct sqlite3 *db;
	struct sqlite_copy copy;
	struct byte_window *window; /* its caller gets progress reports */
	struct trace *trace; /* its arena and its notes are used */
	const char **tables; /* the plain ones, as the file spells them */
	size_t tables_n, tables_cap;
	struct err stop; /* the error with which the caller ended reading */
	int quiet; /* calls of the progress handler since the last row */
	int64_t pages_allowed, pages_fetched;
};

/* The window must be at the file's first byte. False with *e: the error of
 * sqlite_copy_new(), or ERR_TRACE if SQLite cannot read the list of tables.
 * Call sqlite_file_close() in any case. */
bool sqlite_file_open(struct sqlite_file *f, struct byte_window *w,
	struct trace *t, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* The name of a plain table as the file spells it; `name` is compared without
 * case. NULL if there is no such plain table. */
const char *sqlite_file_table(const struct sqlite_file *f, const char *name);
/* The first table at or after index *i whose name begins with `prefix`, or NULL
 * if there is none. Sets *i to the index after it. Start with 0. */
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
 * An absent table has no rows. A table without a required column has no rows
 * either, and this is noted (sqlite_no_column). Damage in the middle is noted
 * (sqlite_damaged); the rows before it are good. If a table lists more rows
 * than a file of its size can contain, or takes longer to read, this is noted
 * (sqlite_endless), and none of its rows can be trusted. */

struct sqlite_column {
	const char *name;
	bool must; /* required: without this column the table is not read */
};

struct sqlite_rows {
	struct sqlite_file *file;
	struct sqlite3_stmt *stmt; /* NULL: no rows */
	const char *table;
	const struct sqlite_column *columns;
	uint64_t present; /* bit i: the table has column i */
	int64_t rows; /* read so far */
	int code; /* SQLite's last result code */
	bool looped; /* more rows than the file can hold */
};

enum { SQLITE_COLUMNS_MOST = 64 };

/* False only with *e; sqlite_rows_close() may be called then, too. `columns`
 * must outlive `r`; the case of `table` is ignored. */
bool sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f,
	const char *table, const struct sqlite_column *columns, int n,
	struct err *e);
/* False at the end and on errors; sqlite_rows_close() distinguishes them. */
bool sqlite_rows_next(struct sqlite_rows *r);
/* False with *e if reading ended for a reason other than the file. */
bool sqlite_rows_close(struct sqlite_rows *r, struct err *e);

/* The values of the current row, by the column's index in `columns`. NULL and
 * an absent column count as no value. A value that is not a number is noted
 * (sqlite_type) and counts as no value, too. A real number without a fraction
 * is a whole number. */
bool sqlite_has(const struct sqlite_rows *r, int column);
bool sqlite_int(struct sqlite_rows *r, int column, int64_t *value);
int64_t sqlite_int_or(struct sqlite_rows *r, int column, int64_t otherwise);
/* For values that are never negative and have 32 bits; -1 if there is no
 * value. */
int32_t sqlite_small(struct sqlite_rows *r, int column);
double sqlite_real_or(struct sqlite_rows *r, int column, double otherwise);
/* The bytes of a text (UTF-8, not necessarily valid), of a number as text, or
 * of a blob. Valid until the next row. */
bool sqlite_bytes(struct sqlite_rows *r, int column, const char **at,
	size_t *len);
/* The value as a name of the trace: 0 if there is no value, NAMES_NONE if the
 * arena is full. */
uint32_t sqlite_text(struct sqlite_rows *r, int column, struct text *t);

/* Texts that rows name by number: the tables StringIds and rocpd_string.
 *
 * Each number is looked up once, when a row first names it. The whole table is
 * loaded only if its numbers are not its row numbers; no known exporter writes
 * such a table. */
struct sqlite_names {
	struct sqlite_file *file;
	/* NULL: `known` already contains all texts */
	struct sqlite3_stmt *stmt;
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

/* `table` may be NULL or absent: then no number has a text. False only with *e.
 * Call sqlite_names_close() in any case. */
bool sqlite_names_open(struct sqlite_names *n, struct sqlite_file *f,
	const char *table, const char *id, const char *value, struct text *t,
	struct err *e);
/* *name is 0 if the number has no text. False only with *e. */
bool sqlite_names_of(struct sqlite_names *n, int64_t id, uint32_t *name,
	struct err *e);
void sqlite_names_close(struct sqlite_names *n);

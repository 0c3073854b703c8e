/* sqlite_rows.h - reads the rows of one table in the order in which they are
 * stored.
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
#pragma once
#include "sqlite.h"
#include "text.h"

struct sqlite3_stmt;

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

/* sqlite_names.h - texts that rows name by number: StringIds, rocpd_string.
 *
 * Each number is looked up once, when a row first names it; the table is never
 * loaded whole, unless its numbers are not its row numbers, which no exporter
 * known does. */
#pragma once
#include "sqlite_rows.h"

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

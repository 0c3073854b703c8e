/* table.h - tables as CSV and Markdown; the one place that writes either.
 *
 * A view has made every cell text already. CSV is that of nsys: a line per
 * row ended by "\n", a cell quoted only where it holds a comma, a quote or a
 * line break, quotes doubled (RFC 4180). Markdown escapes what would read as
 * markup, so that `void f<T>(T *, a|b)` looks as it is. */
#pragma once
#include "buf.h"
#include <stdint.h>

enum table_format { TABLE_JSON, TABLE_CSV, TABLE_MD };

struct column {
	const char *head;
	bool number; /* aligned right */
};

struct table {
	const struct column *columns;
	int width;
	const char *const *cells; /* row by row */
	uint32_t rows;
};

void table_csv(const struct table *t, struct buf *b);
/* One cell, for tables that are written row by row. */
void table_csv_cell(struct buf *b, const char *s);
void table_md(const struct table *t, struct buf *b);
/* Text outside a table, escaped likewise. */
void table_md_text(struct buf *b, const char *s);

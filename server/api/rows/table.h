/* table.h - writes tables as CSV and Markdown; no other file does.
 *
 * A view makes the text of every cell. The CSV is like that of nsys: each row
 * ends with "\n"; a cell is quoted only if it contains a comma, a quote or a
 * line break; quotes are doubled (RFC 4180). In Markdown, characters that would
 * be read as markup are escaped, so that `void f<T>(T *, a|b)` is shown
 * unchanged. */
#pragma once
#include "arena.h"
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
/* Writes one cell, for tables that are written row by row. */
void table_csv_cell(struct buf *b, const char *s);
void table_md(const struct table *t, struct buf *b);
/* Writes the beginning of a heading that starts a document: a mark of the outcome, and
 * `title` with a link to `path` of `site`; without a link if `site` is NULL. The caller
 * completes the line. `path` is percent-encoded. */
void table_md_heading(struct buf *b, const char *mark, const char *title,
	const char *site, const char *path);
/* Writes text outside a table, with the same escapes. */
void table_md_text(struct buf *b, const char *s);

/* ---- numbers as cells; an unknown number is an empty cell */

/* An integer; "" if it is below 0. */
const char *table_whole(struct arena *a, int64_t v);
/* A number with one decimal; "" if it is not finite. */
const char *table_real(struct arena *a, double v);
/* A number with six significant digits, for shares, ratios and probabilities.
 */
const char *table_figure(struct arena *a, double v);

/* A table with `rows` rows; the caller fills *cells row by row. */
struct table *table_new(struct arena *a, const struct column *columns,
	int width, uint32_t rows, const char ***cells);
#define TABLE_COLUMNS(list) list, (int)(sizeof list / sizeof *list)

/* ---- Markdown tables whose columns are also aligned in the source text
 *
 * This is the layout of published reports, which pandas makes with tabulate. If
 * all cells of a column are numbers, they are written in one form, aligned by
 * the decimal point, and the column is marked as right-aligned. Any other
 * column is text, aligned left. Unlike table_md(), this escapes only characters
 * that would break the table, because reports are compared with published ones.
 */

enum table_text_form {
	TABLE_TEXT_SHORT, /* six digits: "%g" */
	TABLE_TEXT_MONEY, /* 1,234.50 */
};

struct table_text_column {
	const char *head;
	const char **cells; /* [rows] */
};

/* Rewrites cells that contain numbers; all texts are in the arena. */
void table_text(struct buf *b, struct arena *a,
	struct table_text_column *columns, int width, uint32_t rows,
	enum table_text_form form);

/* Two decimals, with commas between thousands: 1,234.50. */
const char *table_text_money(struct arena *a, double v);

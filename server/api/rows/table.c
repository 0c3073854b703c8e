/* table.c - writes the cells of a table as bytes. */
#include "table.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- CSV and Markdown */

void table_csv_cell(struct buf *b, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		buf_puts(b, s);
		return;
	}
	buf_puts(b, "\"");
	for (size_t len; *s; s += len + (s[len] == '"')) {
		len = strcspn(s, "\"");
		buf_add(b, s, len);
		if (s[len])
			buf_puts(b, "\"\"");
	}
	buf_puts(b, "\"");
}

void table_csv(const struct table *t, struct buf *b)
{
	for (int c = 0; c < t->width; c++) {
		buf_puts(b, c ? "," : "");
		table_csv_cell(b, t->columns[c].head);
	}
	buf_puts(b, "\n");
	for (uint32_t r = 0; r < t->rows; r++) {
		for (int c = 0; c < t->width; c++) {
			buf_puts(b, c ? "," : "");
			table_csv_cell(b,
				t->cells[(size_t)r * (size_t)t->width +
					 (size_t)c]);
		}
		buf_puts(b, "\n");
	}
}

/* Whether a character would be markup at its position. An underscore inside a
 * word is not markup. */
static bool table_markup(const char *start, const char *s)
{
	if (*s == '_')
		return s == start || !isalnum((unsigned char)s[-1]) ||
		       !isalnum((unsigned char)s[1]);
	return strchr("\\|`*<[", *s);
}

void table_md_text(struct buf *b, const char *s)
{
	const char *start = s;
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20) {
			buf_puts(b, " ");
			continue;
		}
		if (table_markup(start, s))
			buf_puts(b, "\\");
		buf_add(b, s, 1);
	}
}

void table_md_heading(struct buf *b, const char *mark, const char *title,
	const char *site, const char *path)
{
	if (site)
		buf_printf(b, "## %s [%s](<%s%s>)", mark, title, site, path);
	else
		buf_printf(b, "## %s %s", mark, title);
}

void table_md(const struct table *t, struct buf *b)
{
	for (int c = 0; c < t->width; c++) {
		buf_puts(b, "| ");
		table_md_text(b, t->columns[c].head);
		buf_puts(b, " ");
	}
	buf_puts(b, "|\n");
	for (int c = 0; c < t->width; c++)
		buf_puts(b, t->columns[c].number ? "|---:" : "|:---");
	buf_puts(b, "|\n");
	for (uint32_t r = 0; r < t->rows; r++) {
		for (int c = 0; c < t->width; c++) {
			buf_puts(b, "| ");
			table_md_text(b, t->cells[(size_t)r * (size_t)t->width +
						  (size_t)c]);
			buf_puts(b, " ");
		}
		buf_puts(b, "|\n");
	}
}

/* ---- numbers as cells, as nsys writes them */

const char *table_whole(struct arena *a, int64_t v)
{
	return v < 0 ? "" : arena_printf(a, "%lld", (long long)v);
}

const char *table_real(struct arena *a, double v)
{
	return isfinite(v) ? arena_printf(a, "%.1f", v) : "";
}

const char *table_figure(struct arena *a, double v)
{
	return isfinite(v) ? arena_printf(a, "%.6g", v) : "";
}

struct table *table_new(struct arena *a, const struct column *columns,
	int width, uint32_t rows, const char ***cells)
{
	struct table *t = arena_new(a, struct table);
	*cells = arena_array(a, const char *, (size_t)width *rows + 1);
	*t = (struct table){ columns, width, *cells, rows };
	return t;
}

/* ---- Markdown whose columns are also aligned in the source text */

enum kind { TEXT, WHOLE, REAL };

struct laid {
	enum kind kind;
	size_t wide; /* width in characters */
	size_t after; /* most characters after a point, including it; 0: none */
};

static size_t table_text_width_of(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static bool table_text_is_whole(const char *s)
{
	s += *s == '-' || *s == '+';
	return *s && strspn(s, "0123456789") == strlen(s);
}

static bool table_text_is_real(const char *s)
{
	char *end;
	if (!*s || strpbrk(s, "xX(") || isspace((unsigned char)*s))
		return false;
	strtod(s, &end);
	return end != s && !*end;
}

static enum kind table_text_kind_of(const struct table_text_column *c,
	uint32_t rows)
{
	enum kind kind = rows ? WHOLE : TEXT;
	for (uint32_t i = 0; i < rows && kind != TEXT; i++) {
		if (!table_text_is_real(c->cells[i]))
			kind = TEXT;
		else if (!table_text_is_whole(c->cells[i]))
			kind = REAL;
	}
	return kind;
}

/* The number of characters from the decimal point to the end of the number.
 * Without a point, counts from the 'e' of the exponent. 0 if there is neither.
 */
static size_t table_text_after_point(const char *s)
{
	const char *point = strrchr(s, '.');
	if (!point)
		point = isdigit((unsigned char)s[strlen(s) - 1])
				? strchr(s, 'e')
				: NULL;
	return point ? strlen(point) : 0;
}

const char *table_text_money(struct arena *a, double v)
{
	char plain[400], out[600];
	if (!isfinite(v))
		return arena_printf(a, "%f", v);
	snprintf(plain, sizeof plain, "%.2f", v);
	char *to = out;
	const char *at = plain;
	if (*at == '-')
		*to++ = *at++;
	for (size_t left = strcspn(at, "."); left; left--) {
		*to++ = *at++;
		if (left > 1 && left % 3 == 1)
			*to++ = ',';
	}
	memcpy(to, at, strlen(at) + 1);
	return arena_strdup(a, out);
}

/* A text for one line of a cell: without line breaks and bars. */
static const char *table_text_cell_of(struct arena *a, const char *s)
{
	if (!strpbrk(s, "|\n\r\t"))
		return s;
	char *out = arena_alloc(a, 2 * strlen(s) + 1, 1), *to = out;
	for (; *s; s++) {
		if (*s == '|')
			*to++ = '\\';
		*to++ = (char)(strchr("\n\r\t", *s) ? ' ' : *s);
	}
	return out;
}

static struct laid table_text_lay(struct arena *a, struct table_text_column *c,
	uint32_t rows, enum table_text_form form)
{
	struct laid l = { .kind = table_text_kind_of(c, rows) };
	c->head = table_text_cell_of(a, c->head);
	for (uint32_t i = 0; i < rows; i++) {
		double v = l.kind == REAL ? strtod(c->cells[i], NULL) : 0;
		if (l.kind == REAL)
			c->cells[i] = form == TABLE_TEXT_MONEY
					      ? table_text_money(a, v)
					      : arena_printf(a, "%g", v);
		else if (l.kind == TEXT)
			c->cells[i] = table_text_cell_of(a, c->cells[i]);
		size_t after = l.kind == REAL
				       ? table_text_after_point(c->cells[i])
				       : 0;
		l.after = after > l.after ? after : l.after;
	}
	l.wide = table_text_width_of(c->head) + 2;
	for (uint32_t i = 0; i < rows; i++) {
		size_t wide = table_text_width_of(c->cells[i]);
		if (l.kind == REAL)
			wide += l.after - table_text_after_point(c->cells[i]);
		l.wide = wide > l.wide ? wide : l.wide;
	}
	return l;
}

static void table_text_fill(struct buf *b, char with, size_t n)
{
	for (; n; n--)
		buf_add(b, &with, 1);
}

static void table_text_cell(struct buf *b, const char *s, const struct laid *l,
	bool head)
{
	size_t after = l->kind == REAL && !head
			       ? l->after - table_text_after_point(s)
			       : 0;
	size_t pad = l->wide - table_text_width_of(s) - after;
	buf_puts(b, "| ");
	table_text_fill(b, ' ', l->kind == TEXT ? 0 : pad);
	buf_puts(b, s);
	table_text_fill(b, ' ', after + (l->kind == TEXT ? pad : 0));
	buf_puts(b, " ");
}

static void table_text_rule(struct buf *b, const struct laid *l)
{
	buf_puts(b, l->kind == TEXT ? "|:" : "|");
	table_text_fill(b, '-', l->wide + 1);
	buf_puts(b, l->kind == TEXT ? "" : ":");
}

void table_text(struct buf *b, struct arena *a,
	struct table_text_column *columns, int width, uint32_t rows,
	enum table_text_form form)
{
	struct laid *laid = arena_array(a, struct laid, (size_t)width);
	for (int c = 0; c < width; c++)
		laid[c] = table_text_lay(a, &columns[c], rows, form);
	for (int c = 0; c < width; c++)
		table_text_cell(b, columns[c].head, &laid[c], true);
	buf_puts(b, "|\n");
	for (int c = 0; c < width; c++)
		table_text_rule(b, &laid[c]);
	buf_puts(b, "|\n");
	for (uint32_t r = 0; r < rows; r++) {
		for (int c = 0; c < width; c++)
			table_text_cell(b, columns[c].cells[r], &laid[c],
				false);
		buf_puts(b, "|\n");
	}
}

/* text_table.c - finds out which columns are numbers, pads, writes. */
#include "text_table.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, WHOLE, REAL };

struct laid {
	enum kind kind;
	size_t wide; /* characters */
	size_t after; /* most characters behind a point, and it; 0 none */
};

static size_t width_of(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static bool is_whole(const char *s)
{
	s += *s == '-' || *s == '+';
	return *s && strspn(s, "0123456789") == strlen(s);
}

static bool is_real(const char *s)
{
	char *end;
	if (!*s || strpbrk(s, "xX(") || isspace((unsigned char)*s))
		return false;
	strtod(s, &end);
	return end != s && !*end;
}

static enum kind kind_of(const struct text_column *c, uint32_t rows)
{
	enum kind kind = rows ? WHOLE : TEXT;
	for (uint32_t i = 0; i < rows && kind != TEXT; i++) {
		if (!is_real(c->cells[i]))
			kind = TEXT;
		else if (!is_whole(c->cells[i]))
			kind = REAL;
	}
	return kind;
}

/* How many characters lie behind the point of a number, or its exponent's
 * letter, with it; 0 where there is neither. */
static size_t after_point(const char *s)
{
	const char *point = strrchr(s, '.');
	if (!point)
		point = isdigit((unsigned char)s[strlen(s) - 1])
				? strchr(s, 'e')
				: NULL;
	return point ? strlen(point) : 0;
}

const char *text_money(struct arena *a, double v)
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

/* A line of its own per row: no line break, no bar. */
static const char *cell_of(struct arena *a, const char *s)
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

static struct laid lay(struct arena *a, struct text_column *c, uint32_t rows,
	enum text_form form)
{
	struct laid l = { .kind = kind_of(c, rows) };
	c->head = cell_of(a, c->head);
	for (uint32_t i = 0; i < rows; i++) {
		double v = l.kind == REAL ? strtod(c->cells[i], NULL) : 0;
		if (l.kind == REAL)
			c->cells[i] = form == FORM_MONEY
					      ? text_money(a, v)
					      : arena_printf(a, "%g", v);
		else if (l.kind == TEXT)
			c->cells[i] = cell_of(a, c->cells[i]);
		size_t after = l.kind == REAL ? after_point(c->cells[i]) : 0;
		l.after = after > l.after ? after : l.after;
	}
	l.wide = width_of(c->head) + 2;
	for (uint32_t i = 0; i < rows; i++) {
		size_t wide = width_of(c->cells[i]);
		if (l.kind == REAL)
			wide += l.after - after_point(c->cells[i]);
		l.wide = wide > l.wide ? wide : l.wide;
	}
	return l;
}

static void fill(struct buf *b, char with, size_t n)
{
	for (; n; n--)
		buf_add(b, &with, 1);
}

static void cell(struct buf *b, const char *s, const struct laid *l, bool head)
{
	size_t after = l->kind == REAL && !head ? l->after - after_point(s) : 0;
	size_t pad = l->wide - width_of(s) - after;
	buf_puts(b, "| ");
	fill(b, ' ', l->kind == TEXT ? 0 : pad);
	buf_puts(b, s);
	fill(b, ' ', after + (l->kind == TEXT ? pad : 0));
	buf_puts(b, " ");
}

static void rule(struct buf *b, const struct laid *l)
{
	buf_puts(b, l->kind == TEXT ? "|:" : "|");
	fill(b, '-', l->wide + 1);
	buf_puts(b, l->kind == TEXT ? "" : ":");
}

void text_table(struct buf *b, struct arena *a, struct text_column *columns,
	int width, uint32_t rows, enum text_form form)
{
	struct laid *laid = arena_array(a, struct laid, (size_t)width);
	for (int c = 0; c < width; c++)
		laid[c] = lay(a, &columns[c], rows, form);
	for (int c = 0; c < width; c++)
		cell(b, columns[c].head, &laid[c], true);
	buf_puts(b, "|\n");
	for (int c = 0; c < width; c++)
		rule(b, &laid[c]);
	buf_puts(b, "|\n");
	for (uint32_t r = 0; r < rows; r++) {
		for (int c = 0; c < width; c++)
			cell(b, columns[c].cells[r], &laid[c], false);
		buf_puts(b, "|\n");
	}
}

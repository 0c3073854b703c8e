/* table.c - cells to bytes. */
#include "table.h"
#include <ctype.h>
#include <string.h>

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

/* Whether a character would be markup where it stands; an underscore within a
 * word is not. */
static bool markup(const char *start, const char *s)
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
		if (markup(start, s))
			buf_puts(b, "\\");
		buf_add(b, s, 1);
	}
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

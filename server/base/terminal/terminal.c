/* terminal.c - measures text in columns of a terminal, cuts it, and aligns it. */
#include "terminal.h"
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum {
	TERMINAL_GAP = 2, /* columns between two cells */
};

/* --- colors ------------------------------------------------------------ */

static bool terminal_wants_color(const char *color)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (strcmp(color, "auto") != 0)
		return !strcmp(color, "always");
	return isatty(STDOUT_FILENO) && !(no && *no) &&
	       !(term && !strcmp(term, "dumb"));
}

void terminal_init(struct terminal *t, const char *color)
{
	struct winsize size = { 0 };

	/* wcwidth() needs a UTF-8 locale; without one, every character has one
	 * column */
	setlocale(LC_CTYPE, "C.UTF-8");
	*t = (struct terminal){ stdout, terminal_wants_color(color), 0 };
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
		size.ws_col)
		t->columns = size.ws_col;
}

const char *terminal_on(const struct terminal *t, enum terminal_style style)
{
	static const char *const codes[] = {
		[TERMINAL_STRONG] = "\033[1m",
		[TERMINAL_FAINT] = "\033[2m",
		[TERMINAL_GOOD] = "\033[32m",
		[TERMINAL_BAD] = "\033[31m",
		[TERMINAL_UNSURE] = "\033[33m",
	};

	return t->color ? codes[style] : "";
}

const char *terminal_off(const struct terminal *t)
{
	return t->color ? "\033[0m" : "";
}

enum terminal_style terminal_verdict(const char *word, bool *any)
{
	static const struct {
		const char *word;
		enum terminal_style style;
	} all[] = {
		{ "regressed", TERMINAL_BAD },
		{ "appeared", TERMINAL_BAD },
		{ "bad_data", TERMINAL_BAD },
		{ "bad data", TERMINAL_BAD },
		{ "improved", TERMINAL_GOOD },
		{ "vanished", TERMINAL_GOOD },
		{ "pass", TERMINAL_GOOD },
		{ "likely", TERMINAL_UNSURE },
		{ "undecided", TERMINAL_UNSURE },
	};

	*any = true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(word, all[i].word))
			return all[i].style;
	*any = false;
	return TERMINAL_STRONG;
}

/* --- characters -------------------------------------------------------- */

/* The code point at *s, which is valid UTF-8 and not at its end; moves *s behind it. */
static uint32_t terminal_next(const char **s)
{
	unsigned char c = (unsigned char)*(*s)++;
	uint32_t code = c < 0xc0   ? c
			: c < 0xe0 ? c & 0x1fu
			: c < 0xf0 ? c & 0xfu
				   : c & 7u;

	for (; ((unsigned char)**s & 0xc0) == 0x80; (*s)++)
		code = code << 6 | ((unsigned char)**s & 0x3fu);
	return code;
}

/* Whether a terminal would execute the character, or change the direction of the text
 * around it (Unicode, Bidi_Control). */
static bool terminal_harmful(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
	       c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

static int terminal_width_of(uint32_t c)
{
	int n = terminal_harmful(c) ? 1 : wcwidth((wchar_t)c);

	return n < 0 ? 1 : n;
}

static int terminal_columns(const char *s)
{
	int n = 0;

	while (*s)
		n += terminal_width_of(terminal_next(&s));
	return n;
}

/* Prints the characters from `s` on that fill at most `columns`; returns how many
 * columns they fill. */
static int terminal_put(FILE *out, const char *s, int columns)
{
	int n = 0;

	while (*s) {
		const char *from = s;
		uint32_t c = terminal_next(&s);
		int wide = terminal_width_of(c);
		if (n + wide > columns)
			break;
		n += wide;
		if (terminal_harmful(c))
			fputs("?", out);
		else
			fwrite(from, 1, (size_t)(s - from), out);
	}
	return n;
}

/* The end of `s` that fills at most `columns`. */
static const char *terminal_tail(const char *s, int columns)
{
	int n = terminal_columns(s);

	while (*s && n > columns)
		n -= terminal_width_of(terminal_next(&s));
	return s;
}

/* Prints `s` in at most `columns`. The middle of a longer text is replaced by "…",
 * because the beginning and the end of a kernel's name distinguish it better than its middle. */
static int terminal_put_cut(FILE *out, const char *s, int columns)
{
	if (terminal_columns(s) <= columns)
		return terminal_put(out, s, columns);
	int after = (columns - 1) / 3;
	int n = terminal_put(out, s, columns - 1 - after);
	fputs("…", out);
	return n + 1 + terminal_put(out, terminal_tail(s, after), after);
}

void terminal_line(const struct terminal *t, const char *s)
{
	terminal_put(t->out, s, INT_MAX);
	fputs("\n", t->out);
}

/* --- tables ------------------------------------------------------------ */

static const char *terminal_cell(const struct terminal_table *v, size_t row,
	size_t column)
{
	return v->cells[row * v->width + column];
}

/* The width of the table; a column of -1 is omitted. */
static int terminal_sum(const int *wide, size_t n)
{
	int sum = 0;

	for (size_t i = 0; i < n; i++)
		if (wide[i] >= 0)
			sum += wide[i] + (sum ? TERMINAL_GAP : 0);
	return sum;
}

/* The width that the table has if all cells are cut to their minimum. */
static int terminal_narrowest(const struct terminal_table *v, const int *wide)
{
	int sum = terminal_sum(wide, v->width);

	for (size_t i = 0; i < v->width; i++)
		if (v->columns[i].min && wide[i] > v->columns[i].min)
			sum -= wide[i] - v->columns[i].min;
	return sum;
}

static void terminal_omit(const struct terminal_table *v, int *wide,
	int columns)
{
	while (terminal_narrowest(v, wide) > columns) {
		size_t first = v->width;
		int highest = 0;
		for (size_t i = 0; i < v->width; i++)
			if (wide[i] >= 0 && v->columns[i].omit > highest) {
				highest = v->columns[i].omit;
				first = i;
			}
		if (first == v->width)
			return;
		wide[first] = -1;
	}
}

/* Omits columns, then takes columns from the widest cells that may be cut, until the
 * table fits. */
static void terminal_fit(const struct terminal_table *v, int *wide, int columns)
{
	terminal_omit(v, wide, columns);
	while (terminal_sum(wide, v->width) > columns) {
		size_t widest = v->width;
		for (size_t i = 0; i < v->width; i++)
			if (v->columns[i].min && wide[i] > v->columns[i].min &&
				(widest == v->width || wide[i] > wide[widest]))
				widest = i;
		if (widest == v->width)
			return;
		wide[widest]--;
	}
}

static void terminal_put_cell(const struct terminal *t,
	const struct terminal_table *v, size_t column, const char *s, int wide)
{
	if (wide < 0)
		return;
	int n = terminal_columns(s);
	int pad = n < wide ? wide - n : 0;
	bool last = column + 1 == v->width;

	if (column)
		fprintf(t->out, "%*s", TERMINAL_GAP, "");
	if (v->columns[column].number)
		fprintf(t->out, "%*s", pad, "");
	n = terminal_put_cut(t->out, s, wide);
	if (!v->columns[column].number && !last && n < wide)
		fprintf(t->out, "%*s", wide - n, "");
}

void terminal_table_print(const struct terminal *t,
	const struct terminal_table *v)
{
	int *wide = calloc(v->width, sizeof *wide);

	if (!wide)
		abort();
	for (size_t c = 0; c < v->width; c++) {
		wide[c] = terminal_columns(v->columns[c].head);
		for (size_t r = 0; r < v->rows; r++) {
			int n = terminal_columns(terminal_cell(v, r, c));
			wide[c] = n > wide[c] ? n : wide[c];
		}
	}
	if (t->columns)
		terminal_fit(v, wide, t->columns);
	fputs(terminal_on(t, TERMINAL_STRONG), t->out);
	for (size_t c = 0; c < v->width; c++)
		terminal_put_cell(t, v, c, v->columns[c].head, wide[c]);
	fprintf(t->out, "%s\n", terminal_off(t));
	for (size_t r = 0; r < v->rows; r++) {
		for (size_t c = 0; c < v->width; c++)
			terminal_put_cell(t, v, c, terminal_cell(v, r, c),
				wide[c]);
		fputs("\n", t->out);
	}
	free(wide);
}

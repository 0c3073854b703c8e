/* terminal.h - prints texts and tables for a person: colors, and widths that fit.
 *
 * Text from outside may contain anything. What a terminal would execute, or what would
 * change the direction of the line, is replaced. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal {
	FILE *out;
	bool color;
	int columns; /* 0: no limit, because the output is not a terminal */
};

enum terminal_style {
	TERMINAL_STRONG,
	TERMINAL_FAINT,
	TERMINAL_GOOD,
	TERMINAL_BAD,
	TERMINAL_UNSURE
};

/* Prepares output to stdout. `color` is auto, always or never; auto: on a terminal,
 * unless NO_COLOR has a value or TERM is dumb. */
void terminal_init(struct terminal *t, const char *color);

/* The codes that begin and end a style; "" without colors. */
const char *terminal_on(const struct terminal *t, enum terminal_style style);
const char *terminal_off(const struct terminal *t);

/* The style of a verdict or an outcome in the server's words; *any is false if it has
 * none. */
enum terminal_style terminal_verdict(const char *word, bool *any);

/* Prints a line as it is, without what a terminal would execute. */
void terminal_line(const struct terminal *t, const char *s);

struct terminal_column {
	const char *head;
	bool number; /* aligned right */
	/* Columns to which the cells may be cut in their middle; 0: never. */
	int min;
	/* If the table does not fit otherwise, it is omitted, the highest number first;
	 * 0: never. */
	int omit;
};

struct terminal_table {
	const struct terminal_column *columns;
	size_t width;
	const char *const *cells; /* row by row, valid UTF-8 */
	size_t rows;
};

/* Prints the table with aligned columns. On a terminal, cells are cut and columns
 * omitted so that no line is wider than the terminal, if that is possible. */
void terminal_table_print(const struct terminal *t,
	const struct terminal_table *v);

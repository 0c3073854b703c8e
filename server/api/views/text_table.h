/* text_table.h - Markdown tables whose columns line up as text, too.
 *
 * The layout of published reports, which pandas makes with tabulate: a column
 * whose cells all read as numbers is written anew in one form, aligned by the
 * decimal point and marked so; any other is text, aligned left. Where table.h
 * escapes all that would be markup, this leaves text as it is but for what would
 * break the table: reports are compared with published ones. */
#pragma once
#include "arena.h"
#include "buf.h"
#include <stdint.h>

enum text_form {
	FORM_SHORT, /* six digits: "%g" */
	FORM_MONEY, /* 1,234.50 */
};

struct text_column {
	const char *head;
	const char **cells; /* [rows] */
};

/* Rewrites cells of numbers; all of it in the arena. */
void text_table(struct buf *b, struct arena *a, struct text_column *columns,
	int width, uint32_t rows, enum text_form form);

/* 1,234.50: two decimals, thousands apart. */
const char *text_money(struct arena *a, double v);

/* inspect_table.c - prints the text of inspect_print.c for a person: its CSV as
 * tables with aligned columns, its other lines as they are. */
#include "inspect.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Names are cut to this, not further: shorter ones do not differ. */
	INSPECT_TABLE_NAME = 24,
	/* The first numbers are the share, the sum and the count; later ones are
	 * omitted if the terminal is too narrow. */
	INSPECT_TABLE_KEPT = 3,
};

struct inspect_table {
	const char **cells; /* row by row; the first row has the headings */
	size_t cells_n, room, width;
	struct arena *arena;
};

/* Reads a field of CSV in place and moves *at behind it. Returns the field;
 * *last: it ends its line. */
static const char *inspect_table_field(char **at, bool *last)
{
	char *s = *at, *from = s, *to = s;
	bool quoted = *s == '"';

	for (s += quoted; *s && (quoted || !strchr(",\n", *s)); s++) {
		if (quoted && *s == '"' && s[1] != '"') {
			quoted = false;
			continue;
		}
		s += quoted && *s == '"';
		*to++ = *s;
	}
	*last = *s != ',';
	*at = s + (*s != '\0');
	*to = '\0';
	return from;
}

static bool inspect_table_add(struct inspect_table *v, const char *cell)
{
	if (v->cells_n == v->room) {
		size_t room = v->room ? 2 * v->room : 256;
		const char **grown =
			arena_grow(v->arena, v->cells, room * sizeof *grown);
		if (!grown)
			return false;
		v->cells = grown;
		v->room = room;
	}
	v->cells[v->cells_n++] = cell;
	return true;
}

/* Reads a table, which ends at an empty line, and moves *at to that line. */
static bool inspect_table_read(struct inspect_table *v, char **at)
{
	while (**at && **at != '\n') {
		size_t first = v->cells_n;
		for (bool last = false; !last;)
			if (!inspect_table_add(v,
				    inspect_table_field(at, &last)))
				return false;
		v->width = v->width ? v->width : v->cells_n;
		assert(v->cells_n - first == v->width);
	}
	return true;
}

static bool inspect_table_numbers(const struct inspect_table *v, size_t column)
{
	for (size_t i = v->width + column; i < v->cells_n; i += v->width) {
		char *end;
		strtod(v->cells[i], &end);
		if (*end)
			return false;
	}
	return true;
}

static bool inspect_table_show(const struct terminal *t,
	const struct inspect_table *v)
{
	assert(v->width > 0);
	struct terminal_column *columns =
		arena_array(v->arena, struct terminal_column, v->width);

	if (!columns)
		return false;
	for (size_t i = 0; i < v->width; i++) {
		bool number = inspect_table_numbers(v, i);
		columns[i] = (struct terminal_column){
			.head = v->cells[i],
			.number = number,
			.min = number ? 0 : INSPECT_TABLE_NAME,
			.omit = number && i >= INSPECT_TABLE_KEPT ? (int)i : 0,
		};
	}
	terminal_table_print(t, &(struct terminal_table){ .columns = columns,
					.width = v->width,
					.cells = v->cells + v->width,
					.rows = v->cells_n / v->width - 1 });
	return true;
}

/* Whether the block at `s` has lines about the file or a run. */
static bool inspect_table_is_lines(const char *s)
{
	return !strncmp(s, "format ", 7) || !strncmp(s, "run ", 4);
}

static void inspect_table_lines(const struct terminal *t, char **at)
{
	while (**at && **at != '\n') {
		char *line = *at;
		*at += strcspn(line, "\n");
		if (**at)
			*(*at)++ = '\0';
		terminal_line(t, line);
	}
}

bool inspect_table_print(const struct terminal *t, char *text, struct arena *a)
{
	while (*text) {
		struct inspect_table v = { .arena = a };
		if (*text == '\n') {
			terminal_line(t, "");
			text++;
		} else if (inspect_table_is_lines(text)) {
			inspect_table_lines(t, &text);
		} else if (!inspect_table_read(&v, &text) ||
			   !inspect_table_show(t, &v)) {
			return false;
		}
	}
	return true;
}

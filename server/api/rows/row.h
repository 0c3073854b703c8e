/* row.h - the macros that define the rows of the API. The .def files of this
 * folder list the fields of each row type once. The JSON, the CSV and Markdown
 * columns and the OpenAPI schema are generated from these lists.
 *
 * ROW(name, "description", parameters...) begins a row type and END ends it.
 * PART(...) begins a row type that appears only inside other rows and has no
 * schema of its own.
 *
 * FIELD(kind, name, "range", value, "description")
 *     a field of the JSON; `value` is a C expression over the row's parameters
 * COLUMN(kind, order, "Heading", value)
 *     a column of the table. Columns are sorted by `order`, which is below
 *     ROW_ORDERS. A column whose heading contains %s exists only if the table
 *     is given a name. A number_text is a text that is aligned like a number
 * BOTH(kind, name, "range", value, order, "Heading", "description")
 *     a field and a column that show the same value; no column if the order
 *     is 0
 * PAGE(item, list)
 *     a page of rows of the type `item`: the fields of the JSON value `list`,
 *     which view_list() made
 *
 * If a field consists of other fields (a row, a list, ...), its value is
 * already JSON. The value of text_json, which can be null, and of labels_json
 * is already JSON too; the value of labels is a text that contains JSON.
 *
 * The meaning of the range depends on the kind:
 *     number      "least..most", "least.." or "" for all values of the kind
 *     word        its values, "a|b|c"
 *     text        a pattern that begins with ^, or ""
 *     ref, row or shape   the name of a schema, of a PART, or of an entry of
 *                 schema/shapes.json
 * Only kinds that end in _or_null can be null. */
#pragma once
#include "arena.h"
#include "table.h"
#include <jansson.h>

/* K(kind, JSON type, can be null, range, element's kind) */
#define ROW_KINDS(K)                                                   \
	K(id, "integer", false, "1..9007199254740991", NONE)           \
	K(id_or_null, "integer", true, "1..9007199254740991", NONE)    \
	K(whole, "integer", false, "0..9007199254740991", NONE)        \
	K(whole_or_null, "integer", true, "0..9007199254740991", NONE) \
	K(any_whole, "integer", false, "", NONE)                       \
	K(any_whole_or_null, "integer", true, "", NONE)                \
	K(real, "number", false, "0..", NONE)                          \
	K(real_or_null, "number", true, "0..", NONE)                   \
	K(figure, "number", false, "0..", NONE)                        \
	K(figure_or_null, "number", true, "0..", NONE)                 \
	K(number_text, "number", false, "", NONE)                      \
	K(delta, "number", false, "", NONE)                            \
	K(delta_or_null, "number", true, "", NONE)                     \
	K(delta_figure_or_null, "number", true, "", NONE)              \
	K(flag, "boolean", false, "", NONE)                            \
	K(flag_or_null, "boolean", true, "", NONE)                     \
	K(text, "string", false, "", NONE)                             \
	K(text_or_null, "string", true, "", NONE)                      \
	K(text_json, "string", true, "", NONE)                         \
	K(moment, "string", false, ROW_MOMENT, NONE)                   \
	K(moment_or_null, "string", true, ROW_MOMENT, NONE)            \
	K(date_time, "date-time", false, "", NONE)                     \
	K(date_time_or_null, "date-time", true, "", NONE)              \
	K(word, "enum", false, "", NONE)                               \
	K(word_or_null, "enum", true, "", NONE)                        \
	K(ref, "ref", false, "", NONE)                                 \
	K(ref_or_null, "ref", true, "", NONE)                          \
	K(row, "row", false, "", NONE)                                 \
	K(row_or_null, "row", true, "", NONE)                          \
	K(shape, "shape", false, "", NONE)                             \
	K(refs, "array", false, "", ref)                               \
	K(rows, "array", false, "", row)                               \
	K(ids, "array", false, "", id)                                 \
	K(wholes, "array", false, "", whole)                           \
	K(wholes_or_null, "array", false, "", whole_or_null)           \
	K(reals, "array", false, "", real)                             \
	K(reals_or_null, "array", false, "", real_or_null)             \
	K(texts, "array", false, "", text)                             \
	K(words, "array", false, "", word)                             \
	K(labels, "object", false, "", text)                           \
	K(labels_json, "object", false, "", text)                      \
	K(figures, "object", false, "", real)                          \
	K(figures_or_null, "object", false, "", real_or_null)

#define ROW_MOMENT                                                        \
	"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{" \
	"6}Z$"

enum row_kind {
	ROW_NONE,
#define ROW_KIND(kind, type, null, range, of) ROW_##kind,
	ROW_KINDS(ROW_KIND)
#undef ROW_KIND
};

/* One line of a .def. */
struct row_field {
	enum {
		ROW_BEGINS,
		ROW_PART_BEGINS,
		ROW_FIELD,
		ROW_COLUMN,
		ROW_BOTH
	} is;
	enum row_kind kind;
	const char *name, *range, *text;
	int order;
	const char *heading;
};

enum { ROW_ORDERS = 128 };

/* Adds the schema of every ROW and LIST to `schemas`. `shapes` contains the
 * schemas of single fields that are written by hand. */
void row_schemas(json_t *schemas, const json_t *shapes);

/* A table of rows, in the arena. Call row_table_begin(), hide or add columns,
 * and call row_table_rows(). Then for each row, set the cells with the function
 * that its .def defines, and call row_table_next(). */
struct row_table {
	struct table table;
	struct arena *arena;
	struct column *columns;
	int *at; /* for each order: the index of the column, or -1 */
	int orders;
	const char **cells; /* cells of the row that is being filled */
};

/* Starts a table with the columns of the row type `row`. `name` replaces %s in
 * headings; if it is NULL, columns with %s do not exist. */
struct row_table *row_table_begin(struct arena *a, const char *row,
	const char *name);
/* Removes the column with this heading. */
void row_table_hide(struct row_table *t, const char *heading);
/* Adds n columns of numbers at the end; returns the order of the first. */
int row_table_add(struct row_table *t, const char *const headings[],
	uint32_t n);
void row_table_rows(struct row_table *t, uint32_t rows);
/* Sets the next cell; NULL is an empty cell. A hidden column has no cell. */
void row_table_put(struct row_table *t, int order, const char *text);
void row_table_next(struct row_table *t);

/* row_functions.h - defines two functions for each row type of a .def file.
 * Include it after `#define ROWS "file.def"`. row_NAME(parameters) returns the
 * row as JSON. row_NAME_cells(table, parameters) sets its cells in the current
 * row of a table.
 *
 * For each .def, exactly one view includes this file: the view that uses the
 * structs of the rows. */
#include "row.h"
#include "view.h"

#ifndef ROW_JSON_id
/* For each kind: the value as JSON. A value made of several values is already
 * JSON. */
#define ROW_JSON_id(x) view_whole(x)
#define ROW_JSON_id_or_null(x) view_whole(x)
#define ROW_JSON_whole(x) view_whole(x)
#define ROW_JSON_whole_or_null(x) view_whole(x)
#define ROW_JSON_any_whole(x) json_integer(x)
#define ROW_JSON_any_whole_or_null(x) (x)
#define ROW_JSON_real(x) view_real(x)
#define ROW_JSON_real_or_null(x) view_real(x)
#define ROW_JSON_figure(x) view_real(x)
#define ROW_JSON_figure_or_null(x) view_real(x)
#define ROW_JSON_delta(x) view_real(x)
#define ROW_JSON_delta_or_null(x) view_real(x)
#define ROW_JSON_delta_figure_or_null(x) view_real(x)
#define ROW_JSON_flag(x) json_boolean(x)
#define ROW_JSON_flag_or_null(x) (x)
#define ROW_JSON_text(x) view_text(x)
#define ROW_JSON_text_or_null(x) view_text(x)
#define ROW_JSON_moment(x) view_moment(x)
#define ROW_JSON_moment_or_null(x) view_moment(x)
#define ROW_JSON_date_time(x) view_moment(x)
#define ROW_JSON_date_time_or_null(x) view_moment(x)
#define ROW_JSON_word(x) view_text(x)
#define ROW_JSON_word_or_null(x) view_text(x)
#define ROW_JSON_ref(x) (x)
#define ROW_JSON_ref_or_null(x) (x)
#define ROW_JSON_row(x) (x)
#define ROW_JSON_row_or_null(x) (x)
#define ROW_JSON_shape(x) (x)
#define ROW_JSON_refs(x) (x)
#define ROW_JSON_rows(x) (x)
#define ROW_JSON_ids(x) (x)
#define ROW_JSON_wholes(x) (x)
#define ROW_JSON_wholes_or_null(x) (x)
#define ROW_JSON_reals(x) (x)
#define ROW_JSON_reals_or_null(x) (x)
#define ROW_JSON_texts(x) (x)
#define ROW_JSON_words(x) (x)
#define ROW_JSON_labels(x) view_labels(x)
#define ROW_JSON_labels_json(x) (x)
#define ROW_JSON_text_json(x) (x)
#define ROW_JSON_figures(x) (x)
#define ROW_JSON_figures_or_null(x) (x)

/* For each kind: the value as a cell. A flag, or a value of no number kind, is
 * a text. */
#define ROW_CELL_id(a, x) table_whole(a, x)
#define ROW_CELL_id_or_null(a, x) table_whole(a, x)
#define ROW_CELL_whole(a, x) table_whole(a, x)
#define ROW_CELL_whole_or_null(a, x) table_whole(a, x)
#define ROW_CELL_real(a, x) table_real(a, x)
#define ROW_CELL_real_or_null(a, x) table_real(a, x)
#define ROW_CELL_figure(a, x) table_figure(a, x)
#define ROW_CELL_figure_or_null(a, x) table_figure(a, x)
#define ROW_CELL_delta(a, x) table_real(a, x)
#define ROW_CELL_delta_or_null(a, x) table_real(a, x)
#define ROW_CELL_delta_figure_or_null(a, x) table_figure(a, x)
#define ROW_CELL_number_text(a, x) (x)
#define ROW_CELL_text(a, x) (x)
#define ROW_CELL_text_or_null(a, x) (x)
#define ROW_CELL_word(a, x) (x)
#define ROW_CELL_word_or_null(a, x) (x)
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define ROW(name, text, ...)                   \
	static json_t *row_##name(__VA_ARGS__) \
	{                                      \
		json_t *row_v = json_object();
#define PART(...) ROW(__VA_ARGS__)
#define FIELD(kind, name, range, value, text) \
	json_object_set_new(row_v, #name, ROW_JSON_##kind(value));
#define BOTH(kind, name, range, value, order, heading, text) \
	FIELD(kind, name, range, value, text)
#define COLUMN(kind, order, heading, value)
#define PAGE(item, list) json_object_update_new(row_v, list);
#define END           \
	return row_v; \
	}
#include ROWS
#undef ROW
#undef FIELD
#undef BOTH
#undef COLUMN
#undef PAGE
#undef END

#define ROW(name, text, ...)                                             \
	__attribute__((unused)) static void                              \
		row_##name##_cells(struct row_table *row_t, __VA_ARGS__) \
	{                                                                \
		__attribute__((unused)) struct arena *row_a = row_t->arena;
#define FIELD(...)
#define COLUMN(kind, order, heading, value)       \
	if ((order) > 0 && row_t->at[order] >= 0) \
		row_table_put(row_t, order, ROW_CELL_##kind(row_a, value));
#define BOTH(kind, name, range, value, order, heading, text) \
	COLUMN(kind, order, heading, value)
#define PAGE(...)
#define END }
#include ROWS
#undef ROW
#undef PART
#undef FIELD
#undef BOTH
#undef COLUMN
#undef PAGE
#undef END
#undef ROWS
#pragma GCC diagnostic pop

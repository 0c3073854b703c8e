/* layer_table.h - layers in the layout of the table that people make by hand.
 *
 *   | Layer      | Module | Kernel      |   run A |    run B |
 *   | end to end |        |             |   96 ms |    81 ms |
 *   | 61 layers  |        |             |   87 ms | 79.32 ms |
 *   | attention  | o_proj | gemm_kernel |      50 |   43.512 |
 *   | attention  | sum    |             |      50 |   43.512 |
 *
 * There is one column per run. Times are in microseconds, with up to three
 * decimals. Times of whole iterations are in milliseconds and include the unit.
 * If a run has no time for a line, the cell is empty. */
#pragma once
#include "breakdown.h"
#include "table.h"
#include "arena.h"

enum { LAYER_TABLE_RUNS = 8 };

struct layer_table {
	struct arena *arena;
	struct column *columns;
	const char **cells;
	uint32_t rows, room;
	int runs;
};

/* For 1 to LAYER_TABLE_RUNS runs, with the headings of their columns. */
void layer_table_init(struct layer_table *t, struct arena *a,
	const char *const *heads, int runs);
/* Adds a line for a whole iteration. `ns` has one value per run; NaN if the run
 * has none. */
void layer_table_total(struct layer_table *t, const char *what,
	const double *ns);
/* Adds a line of a layer. NULL is an empty cell. Texts must live as long as the
 * table. */
void layer_table_line(struct layer_table *t, const char *layer,
	const char *module, const char *kernel, const double *ns);
const struct table *layer_table_end(const struct layer_table *t);

/* The name of a run, or "run 7" if it has none. */
const char *layer_table_name(struct arena *a, const char *name, int64_t run);
/* The heading of a run's column: the name of the run, and how reliable the
 * figures in the column are. Examples: "mi300x (names put back)", "mi300x
 * (names lag)", "mi300x (no layers: nothing ran on a GPU)". */
const char *layer_table_head(struct arena *a, const char *name,
	const struct breakdown *b, bool names_lag);
/* For example "61 layers" or "1 layer". */
const char *layer_table_count(struct arena *a, uint32_t layers);
/* The line that introduces a section, if there are several. Examples: "58
 * layers: attention + moe", "before the layers". */
const char *layer_table_section(struct arena *a, enum section_place place,
	const char *name, uint32_t layers);
/* For example "input_norm + quantize"; NULL if there are no roles. */
const char *layer_table_roles(struct arena *a, layer_roles roles);
/* The name of a row. If only some layers have this row, the name says how many,
 * because the cell is a mean over all layers: "memset (3 of 31)". */
const char *layer_table_kernel(struct arena *a, const struct breakdown *b,
	uint32_t row, const char *name);
/* For example "moe/shared overlap", if `block` runs in parallel with `other`.
 */
const char *layer_table_overlap(struct arena *a, enum layer_block_kind other,
	enum layer_block_kind block);

/* layer_table.h - layers in the layout of the table that people make by hand.
 *
 *   | Layer      | Module | Kernel      |   run A |    run B |
 *   | end to end |        |             |   96 ms |    81 ms |
 *   | 61 layers  |        |             |   87 ms | 79.32 ms |
 *   | attention  | o_proj | gemm_kernel |      50 |   43.512 |
 *   | attention  | sum    |             |      50 |   43.512 |
 *
 * A column per run. Times are in microseconds with up to three decimals, those
 * of whole iterations in milliseconds with their unit; a cell is empty if there is none. */
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

/* 1 to LAYER_TABLE_RUNS runs, with their heads. */
void layer_table_init(struct layer_table *t, struct arena *a,
	const char *const *heads, int runs);
/* A line of a whole pass. `ns` is by run; NaN if a run has none. */
void layer_table_total(struct layer_table *t, const char *what,
	const double *ns);
/* A line of a layer; NULL is blank. Text must live as long as the table. */
void layer_table_line(struct layer_table *t, const char *layer,
	const char *module, const char *kernel, const double *ns);
const struct table *layer_table_end(const struct layer_table *t);

/* A run's name; "run 7" of one without. */
const char *layer_table_name(struct arena *a, const char *name, int64_t run);
/* The head of its column: the name, and how far to trust the figures below: "mi300x
 * (names put back)", "mi300x (names lag)"; "mi300x (no layers: nothing ran on a
 * GPU)". */
const char *layer_table_head(struct arena *a, const char *name,
	const struct breakdown *b, bool names_lag);
/* "61 layers", "1 layer". */
const char *layer_table_count(struct arena *a, uint32_t layers);
/* The line of a section, if there are several: "58 layers: attention + moe", "before
 * the layers". */
const char *layer_table_section(struct arena *a, enum section_place place,
	const char *name, uint32_t layers);
/* "input_norm + quantize"; NULL of none. */
const char *layer_table_roles(struct arena *a, layer_roles roles);
/* A row's name. If few layers have it, also how many, because its cell is a mean
 * over all of them: "memset (3 of 31)". */
const char *layer_table_kernel(struct arena *a, const struct breakdown *b,
	uint32_t row, const char *name);
/* "moe/shared overlap", where `block` runs parallel to `other`. */
const char *layer_table_overlap(struct arena *a, enum layer_block_kind other,
	enum layer_block_kind block);

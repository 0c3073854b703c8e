/* cell.h - numbers as cells of a table; what nobody told is an empty one. */
#pragma once
#include "arena.h"
#include "table.h"

/* "" for a number below 0. */
const char *cell_whole(struct arena *a, int64_t v);
/* To one decimal; "" for what is no number. */
const char *cell_real(struct arena *a, double v);
/* To six digits that say something: shares, ratios, probabilities. */
const char *cell_figure(struct arena *a, double v);

/* A table of so many rows, whose cells are to be filled row by row. */
struct table *cell_table(struct arena *a, const struct column *columns,
	int width, uint32_t rows, const char ***cells);
#define CELL_COLUMNS(list) list, (int)(sizeof list / sizeof *list)

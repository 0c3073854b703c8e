/* breakdown_cells.h - what the cells of a breakdown say: one time for each row. */
#pragma once
#include "arena.h"
#include "breakdown.h"

/* What each row's cell tells, by row: the mean per instance of its section, so
 * that a block's rows add up to its sum. Of a launch group all is told at the
 * member that takes longest, and NaN at the others of its block. */
const double *breakdown_cells_from(struct arena *a, const struct breakdown *b);
/* Whether the row, of the block that `block` runs beside, goes on while one of
 * `block` does. */
bool breakdown_cells_overlap(const struct breakdown *b, uint32_t row,
	uint32_t block);
/* The rows of a block, which lie together: [*from, *to). */
void breakdown_cells_rows(const struct breakdown *b, uint32_t block,
	uint32_t *from, uint32_t *to);

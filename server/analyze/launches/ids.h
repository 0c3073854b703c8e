/* ids.h - looks up rows by one of their columns: a correlation or an External
 * id.
 *
 * Rows whose number is 0 or below are left out. Numbers may be sparse and may
 * repeat. Building the index takes linear time, a lookup logarithmic time. */
#pragma once
#include "trace.h"

struct ids {
	int64_t *id; /* ascending */
	uint32_t *row; /* parallel to `id`; of equal ids the lowest row first */
	uint32_t n;
};

/* Builds the index over some rows of the column `of`. Needs 12 bytes per row,
 * and 12 bytes of scratch memory per row. False if the arena is full. */
bool ids_from(struct ids *x, struct arena *a, const int64_t *of,
	struct slice rows);
void ids_release(struct ids *x, struct arena *a);

/* Returns the range of indices in x->id and x->row that have this id. */
struct slice ids_find(const struct ids *x, int64_t id);

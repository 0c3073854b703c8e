/* ids.h - rows by a number of theirs: a correlation, an External id.
 *
 * Only numbers above 0 join anything; rows with others are left out. Numbers
 * may be sparse and may repeat. Sorting takes a time proportional to the rows,
 * a lookup their logarithm. */
#pragma once
#include "trace.h"

struct ids {
	int64_t *id; /* ascending */
	uint32_t *row; /* beside each; of equal ones the lowest first */
	uint32_t n;
};

/* Of a column's rows. Takes 12 bytes a row, and as many on the way. False
 * if the arena is full. */
bool ids_from(struct ids *x, struct arena *a, const int64_t *of,
	struct slice rows);
void ids_release(struct ids *x, struct arena *a);

/* The places of an id in x->id and x->row. */
struct slice ids_find(const struct ids *x, int64_t id);

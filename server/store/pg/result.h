/* result.h - what a statement returned, read column by column, left to right.
 *
 *   while (result_next(&r)) {
 *           run.id = result_int8(&r, 0);
 *           run.name = result_text(&r, a);
 *   }
 *   result_release(&r);
 *
 * Each function call reads the next column and asserts its type, so write the
 * reader next to its statement. `absent` is the value that a NULL becomes. */
#pragma once
#include "arena.h"
#include "int128.h"

struct result {
	void *res;
	int n, at, col;
};

/* Moves to the first row, then to the next; false after the last row. */
bool result_next(struct result *r);
void result_release(struct result *r);

bool result_bool(struct result *r);
int32_t result_int4(struct result *r, int32_t absent);
int64_t result_int8(struct result *r, int64_t absent);
double result_float8(struct result *r, double absent);
int128 result_numeric(struct result *r); /* the integer part; 0 if NULL */
int64_t result_moment(struct result *r); /* NO_MOMENT if NULL */
/* In the arena; a NULL column becomes NULL. */
const char *result_text(struct result *r, struct arena *a);
/* Valid as long as the rows. */
const void *result_bytes(struct result *r, size_t *len);
/* Arrays without NULL elements. If the arena becomes full, only the elements
 * read until then are valid. */
const int64_t *result_int8s(struct result *r, struct arena *a, uint32_t *n);
const char *const *result_texts(struct result *r, struct arena *a, uint32_t *n);

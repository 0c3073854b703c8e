/* rows.h - what a statement answered, read column by column, left to right.
 *
 *   while (rows_next(&r)) {
 *           run.id = rows_int8(&r, 0);
 *           run.name = rows_text(&r, a);
 *   }
 *   rows_release(&r);
 *
 * Each call reads the next column; its type is asserted, since statement and
 * reader stand side by side. `absent` is what NULL becomes. */
#pragma once
#include "arena.h"
#include <stdint.h>

struct rows {
	void *res;
	int n, at, col;
};

/* To the first row, then the next; false past the last one. */
bool rows_next(struct rows *r);
void rows_release(struct rows *r);

bool rows_bool(struct rows *r);
int32_t rows_int4(struct rows *r, int32_t absent);
int64_t rows_int8(struct rows *r, int64_t absent);
double rows_float8(struct rows *r, double absent);
int64_t rows_moment(struct rows *r); /* NO_MOMENT where NULL */
/* In the arena; NULL where NULL. */
const char *rows_text(struct rows *r, struct arena *a);
/* Lives as long as the rows. */
const void *rows_bytes(struct rows *r, size_t *len);
/* Arrays without NULLs. */
const int64_t *rows_int8s(struct rows *r, struct arena *a, uint32_t *n);
const char *const *rows_texts(struct rows *r, struct arena *a, uint32_t *n);

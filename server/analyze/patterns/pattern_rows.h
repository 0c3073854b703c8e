/* pattern_rows.h - the rows of p->patterns, in their order, with room for what
 * is told of each cycle. */
#pragma once
#include "profile.h"

enum { PATTERN_NO_ROW = UINT32_MAX };

/* A function before it is a row. */
struct pattern_function {
	struct pattern is; /* who it is; without arrays */
	int64_t total_ns; /* over the cycles told; -1: it is in none */
};

/* Fills p->patterns.rows from those that are in some cycle told (cycles_n is
 * there): dur_ns and launches 0, min_ns and max_ns -1. *row_of gets each
 * function's row; to be arena_drop()ped. False where the arena is full. */
bool pattern_rows_from(struct profile *p, const struct pattern_function *f,
	uint32_t n, uint32_t **row_of);

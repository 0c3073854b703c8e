/* pattern_table.h - the table of p->patterns: which iterations it holds, the
 * order of its rows, and room for its cells and counters. */
#pragma once
#include "profile.h"

enum { PATTERN_NO_ROW = UINT32_MAX };

/* A function before it is a row. */
struct pattern_function {
	struct pattern is; /* who it is; without arrays */
	int64_t total_ns; /* over the iterations of the table; -1: in none */
};

/* Fills p->patterns.iteration and iterations_n. All iterations are taken if there are
 * at most PATTERNS_ITERATIONS_MAX and `functions` of each are at most
 * PATTERNS_CELLS_MAX; otherwise an even choice, kept iterations first.
 * (*place)[i] is iteration i's column, or ITERATION_NONE if it has none;
 * release it with arena_drop(). Returns false if the arena is full. */
bool pattern_table_choose(struct profile *p, uint32_t functions,
	uint32_t **place);

/* Fills p->patterns.rows with the functions that ran in an iteration of the
 * table, longest first; needs iterations_n. dur_ns and launches are 0, min_ns and
 * max_ns -1. (*row_of)[i] is function i's row, or PATTERN_NO_ROW; release it
 * with arena_drop(). Returns false if the arena is full. */
bool pattern_table_rows(struct profile *p, const struct pattern_function *f,
	uint32_t n, uint32_t **row_of);

/* Returns how many counter metrics fit, each with p->patterns.iterations_n values. */
uint32_t pattern_table_metrics_max(const struct profile *p);

/* Allocates p->patterns.metrics for `n` metrics (at most the number above),
 * without values: METRIC_NO_ROW in every iteration. The caller fills pattern
 * and name. `cut` metrics did not fit, the first of them a counter called
 * `name`; a note counts them. Returns false if the arena is full. */
bool pattern_table_metrics(struct profile *p, uint32_t n, uint32_t cut,
	const char *name);

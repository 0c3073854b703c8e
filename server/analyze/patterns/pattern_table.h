/* pattern_table.h - selects the iterations of the table p->patterns, sorts its
 * rows and allocates its cells and counters. */
#pragma once
#include "profile.h"

enum { PATTERN_NO_ROW = UINT32_MAX };

/* A function that is not yet a row of the table. */
struct pattern_function {
	struct pattern is; /* its name, type and device; without arrays */
	int64_t total_ns; /* over the iterations of the table; -1 if it ran in
		none */
};

/* Fills p->patterns.iteration and iterations_n. All iterations are selected if
 * there are at most PATTERNS_ITERATIONS_MAX and `functions` × iterations is at
 * most PATTERNS_CELLS_MAX; otherwise an evenly spaced selection, kept
 * iterations first. (*place)[i] is iteration i's column, or ITERATION_NONE if
 * it has none; release it with arena_drop(). Returns false if the arena is
 * full. */
bool pattern_table_choose(struct profile *p, uint32_t functions,
	uint32_t **place);

/* Fills p->patterns.rows with the functions that ran in an iteration of the
 * table, most time first; requires iterations_n. dur_ns and launches are 0,
 * min_ns and max_ns -1. (*row_of)[i] is function i's row, or PATTERN_NO_ROW;
 * release it with arena_drop(). Returns false if the arena is full. */
bool pattern_table_rows(struct profile *p, const struct pattern_function *f,
	uint32_t n, uint32_t **row_of);

/* Returns the maximum number of counter metrics, each with
 * p->patterns.iterations_n values. */
uint32_t pattern_table_metrics_max(const struct profile *p);

/* Allocates p->patterns.metrics for `n` metrics, at most
 * pattern_table_metrics_max(). They have no values: METRIC_NO_ROW in every
 * iteration. The caller fills pattern and name. `cut` is the number of metrics
 * that did not fit; a note counts them, and `name` is the counter of the first
 * one. Returns false if the arena is full. */
bool pattern_table_metrics(struct profile *p, uint32_t n, uint32_t cut,
	const char *name);

/* derived_table.h - the tables below `run`: each is written by one COPY for all
 * runs of an upload. */
#pragma once
#include "bulk.h"
#include "column.h"
#include "derived.h"

struct derived_table {
	const char *sql; /* COPY table (columns) FROM STDIN (FORMAT binary) */
	/* Writes one run's rows, in the order of their key. */
	void (*write)(struct bulk *b, const struct derived_run *run);
};

/* NULL for an empty list. */
static inline void derived_write_texts(struct bulk *b,
	const struct pattern_texts *t)
{
	if (t->n)
		bulk_texts(b, t->list, t->n);
	else
		bulk_null(b);
}

/* Each list ends with NULL. */
extern const struct derived_table *const derived_iteration_tables[];
extern const struct derived_table *const derived_operator_tables[];
extern const struct derived_table *const derived_breakdown_tables[];

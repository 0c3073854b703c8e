/* pattern_told_function.h - the functions of a table of patterns: what a name,
 * a device and a type in it mean. */
#pragma once
#include "pattern_rows.h"
#include "trace.h"

/* What a row of the table is of. */
struct told_row {
	uint32_t function, cycle;
	bool first; /* of its function and cycle: tells the time */
};

struct told_functions {
	const struct trace *t;
	struct arena *a;
	struct names keys; /* id = index + 1 */
	struct pattern_function *list; /* total_ns -1 */
	uint32_t n, cap;
};

bool told_functions_init(struct told_functions *f, const struct trace *t,
	struct arena *a);
/* The function of a row of the table, added if new; false where the arena is
 * full. */
bool told_function_of(struct told_functions *f, uint32_t row,
	uint32_t *function);

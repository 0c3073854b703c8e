/* iteration_items.h - what each cycle worked on: operators with their dims, kernels
 * with their grids, cycle by cycle.
 *
 * An item is a name and a size. Operators are those that made a call which
 * launched something (cycle_ops.h), once each, in the cycle of the first thing
 * it launched; and grids are told where the trace does. */
#pragma once
#include "iteration_gpu.h"

/* Hashed as bytes, so it has no gaps. */
struct cycle_item {
	uint32_t
		name; /* an operator's, in trace.names; an index in p->kernels */
	uint32_t size; /* dims, in trace.names; id in grids */
};

struct cycle_items {
	enum work_kind kind;
	struct names keys; /* of struct cycle_item; id = item + 1 */
	uint32_t n; /* items */
	uint32_t names_n; /* names are below */
	uint32_t *entry; /* items, cycle by cycle */
	uint32_t *from; /* cycle i's are from[i]…from[i + 1] */
	struct names grids; /* WORK_GRID: int32_t[3] */
};

/* Both for p->cycles. In `a`, which is for scratch; false where it is full.
 * Without operators that tell dims there is no entry. */
bool cycle_items_ops(struct cycle_items *s, const struct cycle_gpu *g,
	uint32_t cycles_n, struct arena *a);
bool cycle_items_grids(struct cycle_items *s, const struct cycle_gpu *g,
	const uint32_t *kernel_of, uint32_t kernels_n, uint32_t cycles_n,
	struct arena *a);

struct cycle_item cycle_items_at(const struct cycle_items *s, uint32_t item);
/* "128x1x1"; "" where unknown. An operator's dims as the trace has them. */
const char *cycle_items_size(const struct cycle_items *s, const struct trace *t,
	uint32_t item, struct arena *a);

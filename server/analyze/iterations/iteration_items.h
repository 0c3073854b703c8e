/* iteration_items.h - what each iteration worked on: operators with their dims,
 * kernels with their grids, iteration by iteration.
 *
 * An item is a name and a size. Operators are those that made a call which
 * launched something: the innermost one with Input Dims that was open on the
 * call's thread when the call began. Each is counted once, in the iteration of
 * the first thing that it launched. Grids are counted if the trace has them. */
#pragma once
#include "iteration_gpu.h"

/* Hashed as bytes, so it has no gaps. */
struct iteration_item {
	uint32_t
		name; /* an operator's, in trace.names; an index in p->kernels */
	uint32_t size; /* dims, in trace.names; id in grids */
};

struct iteration_items {
	enum work_kind kind;
	struct names keys; /* of struct iteration_item; id = item + 1 */
	uint32_t n; /* items */
	uint32_t names_n; /* names are below */
	uint32_t *entry; /* items, iteration by iteration */
	uint32_t *from; /* iteration i's are from[i]…from[i + 1] */
	struct names grids; /* WORK_GRID: int32_t[3] */
};

/* Both for p->cycles. In `a`, which is for scratch; false if it is full.
 * Without operators that have dims there is no entry. */
bool iteration_items_ops(struct iteration_items *s,
	const struct iteration_gpu *g, uint32_t cycles_n, struct arena *a);

bool iteration_items_grids(struct iteration_items *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, uint32_t cycles_n, struct arena *a);

struct iteration_item iteration_items_at(const struct iteration_items *s,
	uint32_t item);

/* "128x1x1"; "" if unknown. An operator's dims as the trace has them. */
const char *iteration_items_size(const struct iteration_items *s,
	const struct trace *t, uint32_t item, struct arena *a);

/* kst_intern.h - launch shapes and launches become small numbers, for the
 * writer.
 *
 * Shapes are kept for good: who writes holds their ids. Of launches (a name
 * and a shape) the last KST_LAUNCHES_MAX are known; when so many were seen all
 * are forgotten, and one that comes again gets a new id. */
#pragma once
#include "kst_memory.h"
#include "kst_wire.h"

enum { KST_LAUNCHES_MAX = 1 << 16 };

struct kst_intern {
	const struct kst_memory *memory;
	struct kst_shape *shapes; /* by id - 1 */
	uint32_t *shape_slots; /* id, or 0 */
	uint32_t shapes_n, shapes_cap, shape_slots_cap;
	struct kst_pair {
		uint64_t name, shape;
		uint64_t id; /* 0: a free slot */
	} * pairs;
	uint32_t pairs_n, pairs_cap;
	uint64_t launches; /* ids given */
};

/* The id of a shape, from 1; -1 where there is no memory. */
int64_t kst_intern_shape(struct kst_intern *in, const struct kst_shape *s);
/* The id of a launch, from 1; *added whether it is a new one. -1 where there
 * is no memory. */
int64_t kst_intern_launch(struct kst_intern *in, uint64_t name, uint64_t shape,
	bool *added);
void kst_intern_release(struct kst_intern *in);

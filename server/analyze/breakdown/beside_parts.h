/* beside_parts.h - what the steps to breakdowns side by side hand each other. */
#pragma once
#include "beside.h"

enum { BESIDE_NONE = UINT32_MAX };

/* Things of several sides in one order: the first side's as they come, those of
 * others behind what comes before them there. */
struct beside_order {
	uint32_t *next; /* by thing; of one not in the list, itself */
	uint32_t first;
};
/* False where the arena is full. */
bool beside_order_init(struct beside_order *o, uint32_t things,
	struct arena *a);
/* A side's things as they come there, some more than once. Where the list has none
 * of them yet, they go to its end. */
void beside_order_merge(struct beside_order *o, const uint32_t *things,
	uint32_t n);

struct beside_work {
	const struct beside_side *sides;
	uint32_t sides_n;
	struct arena *a; /* what is on the way only is dropped */
	struct beside *out;
	/* By side: of each of its sections, blocks and rows where it went in
	 * `out`. */
	uint32_t *section[BESIDE_MOST], *block[BESIDE_MOST], *line[BESIDE_MOST];
};

/* The steps; false where the arena is full. */
bool beside_sections(struct beside_work *w);
bool beside_blocks(struct beside_work *w);
bool beside_lines(struct beside_work *w);
bool beside_cells(struct beside_work *w);

/* By side and row a number below BESIDE_TOKENS of what it does, in a block the same
 * for all rows that cannot be told apart; BESIDE_NONE without a role. False where
 * the arena is full. */
enum { BESIDE_TOKENS = 128 };
bool beside_roles(const struct beside_work *w,
	uint32_t *const token[BESIDE_MOST]);

/* What becomes a line. */
struct beside_thing {
	uint32_t block; /* of `out` */
	enum beside_match match;
};
struct beside_things {
	struct beside_thing *list; /* room for one per row */
	uint32_t n;
};
/* For rows without a role, w->line BESIDE_NONE so far: rows of several sides that
 * share a module, then a kernel; then each alone. */
bool beside_names(struct beside_work *w, struct beside_things *t);

/* passes.h - launches drawn by chance, of which it is known what layer each is of.
 *
 * A model is written as letters, one a kernel, whose names are those of real
 * kernels or tell nothing. A pass is what comes before the layers, the layers, what
 * comes behind; on two further streams run what belongs to the layers and what does
 * not. A share of the kernels is lost, as many others are put in. */
#pragma once
#include "catalog.h"
#include "layering.h"

enum passes_order {
	ORDER_ONE, /* kind 0 alone */
	ORDER_GROUPED, /* one to four of kind 1, then kind 0 */
	ORDER_ALTERNATE, /* one of each by turns */
	ORDER_STACKS, /* a stack of kind 1, what is between, one of kind 0 */
};

enum passes_how {
	HOW_PLAIN,
	HOW_BLANK, /* names tell nothing; else they are real ones */
	HOW_AHEAD, /* one layer more, behind a gap: it is none of the layers */
	HOW_CUT, /* the first pass begins in the middle, the last ends there */
};

struct passes_model {
	const char *name;
	const char *kind[2]; /* the layers' letters; NULL: drawn */
	const char *before, *between, *behind;
	enum passes_order order;
	uint32_t least, most; /* layers in a pass */
	uint32_t passes;
	uint32_t noise; /* of 1000 kernels, lost or put in */
	enum passes_how how;
	bool unlike; /* kinds differ in many launches: which one a layer is of
		can be told, whatever is lost */
};

enum { PASSES_NO_LAYER = UINT32_MAX - 1, PASSES_ANY = UINT32_MAX };

struct passes {
	struct layer_seq s; /* memory is the arena's */
	uint32_t *layer; /* by item: number in its pass, PASSES_NO_LAYER, or
		PASSES_ANY of what was put in or runs on another stream */
	uint32_t layers; /* in a whole pass */
	uint32_t alone; /* layers of kind 1 come first, so many; or 0 */
};

/* Which of the two kinds layer `i` of a pass was drawn of. */
uint32_t passes_kind(const struct passes *p, enum passes_order order,
	uint32_t i);

/* The same for a seed; `c` is what tells operators. */
void passes_draw(struct passes *p, const struct passes_model *m, uint64_t seed,
	const struct catalog *c, struct arena *a);

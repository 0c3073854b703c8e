/* passes.h - draws random launches whose layers are known.
 *
 * A model is written as letters, one per kernel, with real or meaningless
 * names. A pass consists of launches before the layers, the layers, and
 * launches after them. Two more streams run kernels that belong to layers and
 * kernels that do not. A share of the kernels is lost, and the same number of
 * other kernels is inserted. */
#pragma once
#include "catalog.h"
#include "layering.h"

enum passes_order {
	ORDER_ONE, /* only kind 0 */
	ORDER_GROUPED, /* one to four of kind 1, then kind 0 */
	ORDER_ALTERNATE, /* kinds alternate */
	ORDER_STACKS, /* a stack of kind 1, then `between`, then a stack of kind 0 */
};

enum passes_how {
	HOW_PLAIN,
	HOW_BLANK, /* names are meaningless; else they are real */
	HOW_AHEAD, /* one more layer after a gap: it does not count as a layer */
	HOW_CUT, /* the first pass starts in the middle, the last ends there */
};

struct passes_model {
	const char *name;
	const char *kind[2]; /* the layers' letters; NULL: random */
	const char *before, *between, *behind;
	enum passes_order order;
	uint32_t layers_min, layers_max; /* in a pass */
	uint32_t passes;
	uint32_t noise; /* per 1000 kernels, lost or inserted */
	enum passes_how how;
	bool unlike; /* Whether the kinds of layers differ in many launches.
		      * The kind of a layer can then be determined even if
		      * kernels are lost. */
};

enum { PASSES_NO_LAYER = UINT32_MAX - 1, PASSES_ANY = UINT32_MAX };

struct passes {
	struct layer_seq s; /* memory from the arena */
	uint32_t *layer; /* By item: the number of its layer in the pass;
			  * PASSES_NO_LAYER; or PASSES_ANY for an inserted item
			  * or an item on another stream */
	uint32_t layers; /* in a whole pass */
	uint32_t alone; /* number of leading layers of kind 1, or 0 */
};

/* The kind (0 or 1) with which layer `i` of a pass was drawn. */
uint32_t passes_kind(const struct passes *p, enum passes_order order,
	uint32_t i);

/* Reproducible per seed; `c` classifies operators. */
void passes_draw(struct passes *p, const struct passes_model *m, uint64_t seed,
	const struct catalog *c, struct arena *a);

/* layer_role_slot.h - state that the files share which find the roles of a
 * section's positions.
 *
 * A role slot is a position with its act (the catalog's layer_act.def) and the
 * facts that are known about the position so far. The steps are, in order:
 *
 *   1. find the act of each position (layer_blocks.c)
 *   2. find kernels of eager programs that compute an operator together
 *      (layer_steps.c)
 *   3. split the layer into parts around attention and activations
 *      (layer_steps.c)
 *   4. decide which parts are certain, and find the roles in them
 *      (layer_blocks.c)
 *   5. find roles at the ends of a pass (layer_blocks.c)
 *   6. find roles of positions that depend on their neighbors
 *      (layer_blocks.c) */
#pragma once
#include "layer_blocks.h"
#include "layer_words.h"

struct role_slot {
	enum layer_act act;
	layer_roles roles, also;
	enum layer_block_kind block; /* BLOCKS: not known yet */
	layer_roles module_roles; /* by its module; 0 none */
	enum layer_block_kind module_block; /* by its module; BLOCKS none */
	const struct operator_info *op; /* of most launches; NULL unknown */
	uint32_t lane, instances;
	bool common; /* most instances have this slot, or one with the same act
		at this point */
	bool moves; /* its operator only moves numbers */
	bool reduces; /* its operator reduces each row to a number */
	bool step; /* one of several kernels that compute an operator together */
	uint32_t part; /* index of its part + 1; 0 none */
	bool behind; /* after the attention or activation of its part */
};

/* A part of a layer around attention or an activation, on one lane. */
struct role_part {
	bool attention; /* else products of a feed-forward part */
	bool cross; /* attention to another sequence */
	bool latent; /* attention in a latent space (MLA) */
	bool anchored; /* has an anchor: its attention or activation */
	bool steps; /* several kernels compute the anchor */
	bool routed; /* for tokens that were routed to experts */
	bool experts; /* the operator of its products is an experts' one */
	bool by_module; /* modules give its role */
	bool certain; /* evidence is sufficient for roles: layer_blocks.c */
	uint32_t lane;
	uint32_t before, after; /* number of products before and after the
		anchor */
};

/* A section's slots, and the parts that they belong to. */
struct role_slots {
	struct role_slot *d;
	struct role_part *parts;
	uint32_t n, parts_n;
	bool moe; /* tokens are sent to experts */
	bool gated; /* experts are chosen */
	bool backward; /* has a backward pass, whose order is another one */
	uint32_t attended; /* index of the first attention slot; n none */
};

static inline bool role_slot_is_product(const struct role_slot *d)
{
	return d->act == ACT_PRODUCT || d->act == ACT_EXPERTS;
}
/* Returns whether a slot only prepares or finishes the work of its
 * neighbors. */
static inline bool role_slot_is_soft(const struct role_slot *d)
{
	return d->act == ACT_GLUE || d->act >= ACT_ADD;
}

/* The layer words that the catalog has for a kernel; looked up once per
 * kernel. */
struct role_kernel_words {
	bool known;
	bool by_operator,
		by_name; /* whether operator_word and name_word are set */
	bool moves, reduces;
	struct layer_word operator_word, name_word;
};

/* Finds norms, rotary embeddings, activations and attention that several
 * kernels compute together, and sets their acts. `at` lists the common slots of
 * one lane in order. `norms`: finds only norms, for the ends of a pass. */
void layer_steps(struct role_slots *s, const uint32_t *at, uint32_t n,
	bool norms);

/* Finds the parts of one lane. `at` also lists the slots of other lanes that
 * send tokens to experts and back. s->parts has room for one part per entry of
 * `at`. */
void layer_parts(struct role_slots *s, const uint32_t *at, uint32_t n,
	uint32_t lane);

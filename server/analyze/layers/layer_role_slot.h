/* layer_role_slot.h - the positions of a section as roles are read from them:
 * the act of each in the sequence (the catalog's layer_act.def), and what is
 * known of it so far.
 *
 * The steps, in order: acts (layer_blocks.c), kernels of eager programs that
 * compute something together, and parts of a layer around attention and
 * activations (both layer_steps.c), which parts are certain and the roles in
 * them, roles at the ends of a pass, and positions that depend on their
 * neighbors (all three layer_blocks.c). */
#pragma once
#include "layer_blocks.h"
#include "layer_words.h"

struct role_slot {
	enum layer_act act;
	layer_roles roles, also;
	enum layer_block_kind block; /* BLOCKS: not known yet */
	layer_roles module_roles; /* by its module; 0 none */
	enum layer_block_kind module_block; /* likewise; BLOCKS none */
	const struct operator_info *op; /* of most launches; NULL */
	uint32_t lane, instances;
	bool common; /* most instances have it, or one of its kind here */
	bool moves; /* only moves numbers, by its operator */
	bool reduces; /* reduces rows to numbers, likewise */
	bool step; /* one of several kernels that compute something together */
	uint32_t part; /* index of its part + 1; 0 none */
	bool behind; /* after attention or the activation of its part */
};

/* A part of a layer around attention or an activation, on one lane. */
struct role_part {
	bool attention; /* else products of a feed-forward part */
	bool cross; /* attention to another sequence */
	bool latent; /* attention in a latent space (MLA) */
	bool anchored; /* it has its attention or activation */
	bool steps; /* which several kernels compute */
	bool routed; /* for tokens that were routed to experts */
	bool experts; /* by its products' operator */
	bool by_module; /* its role comes from modules */
	bool certain; /* it is what it looks like: layer_blocks.c */
	uint32_t lane;
	uint32_t before, after; /* products before and behind the anchor */
};

/* A section's slots, and the parts that they belong to. */
struct role_slots {
	struct role_slot *d;
	struct role_part *parts;
	uint32_t n, parts_n;
	bool moe; /* tokens are sent to experts */
	bool gated; /* experts are chosen */
	uint32_t attended; /* the first of attention; n none */
};

static inline bool role_slot_is_product(const struct role_slot *d)
{
	return d->act == ACT_PRODUCT || d->act == ACT_EXPERTS;
}
/* Moves or changes numbers for its neighbors. */
static inline bool role_slot_is_soft(const struct role_slot *d)
{
	return d->act == ACT_GLUE || d->act >= ACT_ADD;
}

/* What a kernel's name gives; looked up once. */
struct role_kernel_words {
	bool known;
	bool by_operator, by_name; /* whether there are such words */
	bool moves, reduces;
	struct layer_word operator_word, name_word;
};

/* Finds norms, rotary embeddings, activations and attention that several
 * kernels compute, and sets their acts; `at` lists one lane's common slots in
 * order. `norms`: finds norms only, for the ends of a pass. */
void layer_steps(struct role_slots *s, const uint32_t *at, uint32_t n,
	bool norms);

/* Finds the parts of one lane. `at` also lists the slots of other lanes that
 * send tokens to experts and back. s->parts has room for as many as `at`. */
void layer_parts(struct role_slots *s, const uint32_t *at, uint32_t n,
	uint32_t lane);

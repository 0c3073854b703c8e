/* layer_blocks.h - the block and the roles of each position of a layer.
 *
 * What modules say (layer_place.roles, block) is used first. Otherwise the
 * operators at the positions decide, in their order: a norm belongs to what
 * follows it; a product between a norm and attention is qkv, after attention
 * o_proj, before an activation gate_up, after it down; and so on, by the
 * catalog's operator_blocks.json. A kernel that does several things has several
 * roles. */
#pragma once
#include "layering.h"

struct layer_named {
	enum layer_block_kind block;
	layer_roles roles;
	bool by_module;
	const struct operator_info *op; /* of most launches here */
};

/* Stores *out by position, in the arena. Returns false if it is full. */
bool layer_blocks(const struct layer_seq *s, const struct layering *l,
	struct layer_named **out);

/* Returns a section's name: its class; else, for layers, what they hold
 * ("attention + moe"), in order of appearance. NULL for other sections, for
 * layers of which nothing is known, and if the arena is full. */
const char *layer_section_name(const struct layering *l,
	const struct layer_named *named, uint32_t section, struct arena *a);

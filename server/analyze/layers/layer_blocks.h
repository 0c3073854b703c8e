/* layer_blocks.h - finds the block and the roles of each position of a layer.
 *
 * The roles and the block that modules give (layer_place.roles,
 * layer_place.block) are used first. Otherwise the order of the operators at
 * the positions decides, by the catalog's operator_blocks.json. For example, a
 * norm belongs to the part that follows the norm. A matrix product between a
 * norm and attention is qkv, one after attention is o_proj, one before an
 * activation is gate_up, and one after an activation is down. A kernel that
 * computes several things has several roles. */
#pragma once
#include "layering.h"

struct layer_named {
	enum layer_block_kind block;
	layer_roles roles;
	bool by_module;
	const struct operator_info *op; /* of most launches at the position */
};

/* Stores an entry per position in *out, in the arena. Returns false if the
 * arena is full. */
bool layer_blocks(const struct layer_seq *s, const struct layering *l,
	struct layer_named **out);

/* Returns a section's name. It is the class of the section's module or, for
 * layers without one, their blocks in order ("attention + moe"). NULL for other
 * sections, for layers whose blocks are unknown, and if the arena is full. */
const char *layer_section_name(const struct layering *l,
	const struct layer_named *named, uint32_t section, struct arena *a);

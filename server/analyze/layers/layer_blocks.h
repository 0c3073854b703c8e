/* layer_blocks.h - which block each place of a layer is of, and what it does.
 *
 * What modules tell (layer_place.roles, block) comes first. Else by the operators
 * at the places, in their order: a norm belongs to what follows it; a product
 * between a norm and attention is qkv, behind attention o_proj, before an
 * activation gate_up, behind it down; and so on, by catalog's operator_blocks.json.
 * A kernel that does several things has several roles. */
#pragma once
#include "layering.h"

struct layer_named {
	enum layer_block_kind block;
	layer_roles roles;
	bool by_module;
	const struct operator_info *
	operator; /* that most launches here are of */
};

/* *out by place, in the arena. False where it is full. */
bool layer_blocks(const struct layer_seq *s, const struct layering *l,
	struct layer_named **out);

/* What a section is called: its class; else, of layers, after what they hold
 * ("attention + moe"), in the order in which it comes; NULL for others, for layers
 * of which nothing is known, and where the arena is full. */
const char *layer_section_name(const struct layering *l,
	const struct layer_named *named, uint32_t section, struct arena *a);

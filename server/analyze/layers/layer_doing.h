/* layer_doing.h - the places of a section as roles are read from them: what each
 * is in the sequence (catalog's layer_act.def), and what is known of it so far.
 *
 * The steps of layer_blocks.h in their order: acts (layer_doing.c), steps of eager
 * programs put together (layer_steps.c), parts of a layer around attention and
 * activations (layer_parts.c), which of them are sure (layer_sure.c), roles in them
 * (layer_roles.c) or at the ends of a pass (layer_ends.c), and what goes by its
 * neighbours (layer_beside.c). */
#pragma once
#include "layer_blocks.h"
#include "layer_words.h"

struct doing {
	enum layer_act act;
	layer_roles roles, also;
	enum layer_block_kind block; /* BLOCKS: not known yet */
	layer_roles told; /* by its module; 0 nothing */
	enum layer_block_kind told_block; /* likewise; BLOCKS nothing */
	const struct operator_info *operator; /* of most launches; NULL */
	uint32_t lane, instances;
	bool common; /* most instances have it, or one of its kind here */
	bool moves; /* numbers only, by its operator */
	bool reduces; /* rows to numbers, likewise */
	bool step; /* one of several kernels that do something together */
	uint32_t part; /* index of its part + 1; 0 none */
	bool behind; /* attention or the activation of its part */
};

/* A part of a layer around attention or an activation, on one lane. */
struct part {
	bool attention; /* else products of a feed-forward part */
	bool cross; /* attention to another sequence */
	bool latent; /* attention in a latent space (MLA) */
	bool anchored; /* it has its attention or activation */
	bool steps; /* which several kernels do */
	bool routed; /* for tokens that were sent to experts */
	bool experts; /* by its products' operator */
	bool told; /* modules tell of it */
	bool sure; /* it is what it looks like: layer_sure() */
	uint32_t lane;
	uint32_t before, after; /* products before and behind the anchor */
};

/* A section's doings with the parts they are of. */
struct doings {
	struct doing *d;
	struct part *parts;
	uint32_t n, parts_n;
	bool moe; /* something is sent to experts */
	bool gated; /* something chooses them */
	uint32_t attended; /* the first of attention; n none */
};

static inline bool doing_product(const struct doing *d)
{
	return d->act == ACT_PRODUCT || d->act == ACT_EXPERTS;
}
/* Moves or changes numbers for its neighbours. */
static inline bool doing_soft(const struct doing *d)
{
	return d->act == ACT_GLUE || d->act >= ACT_ADD;
}

/* What a kernel's name tells; looked up once. */
struct kernel_words {
	bool known;
	bool by_operator, by_name; /* whether there are such words */
	bool moves, reduces;
	struct layer_word operator_word, name_word;
};

/* What place `p` is, told `instances` of its section. `words` by kernel, zeroed
 * at first. */
struct doing doing_from(const struct layer_seq *s, struct kernel_words *words,
	const struct layer_place *p, const struct operator_info *operator,
	uint32_t instances);

/* Norms, rotary embeddings, activations and attention that several kernels do:
 * their acts, on one lane; `at` tells its common doings in order. */
void layer_steps(struct doings *s, const uint32_t *at, uint32_t n);
/* Norms alone: at the ends of a pass. */
void layer_norm_steps(struct doings *s, const uint32_t *at, uint32_t n);

/* The parts of one lane; `at` has those of other lanes too that send tokens to
 * experts and back. s->parts has room for as many as `at` has. */
void layer_parts(struct doings *s, const uint32_t *at, uint32_t n,
	uint32_t lane);

/* Which parts are sure, and where attention is. */
void layer_sure(struct doings *s);
/* Takes back what a layer without attention has in a block of that name. */
void layer_unfounded(struct layer_named *named, uint32_t n);
/* Where layers are convolutions without attention, one before them is no look-up of
 * patches. */
void layer_stem(const struct layering *l, struct layer_named *named);

/* Blocks and roles of a layer's doings from its parts. False where `a` is full. */
bool layer_roles_of(struct doings *s, struct arena *a);
/* … of those at the ends of a pass, or between stacks of layers. */
void layer_ends(struct doings *s, enum section_place place);
/* What goes by its neighbours: helpers, conversions, what only a few instances
 * have. All have a block then. `lanes` of the sequence; false where `a` is full. */
bool layer_beside(struct doings *s, uint32_t lanes, struct arena *a);

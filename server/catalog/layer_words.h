/* layer_words.h - what modules and operators do in a layer.
 *
 * From data/module_roles.json and data/operator_blocks.json: a module goes by its
 * class or attribute name, what it stands in and which of its kind it is there; an
 * operator by its name. */
#pragma once
#include "breakdown.h"
#include "catalog.h"

enum layer_act {
#define ACT(code, word, what) ACT_##code,
#include "layer_act.def"
#undef ACT
	ACTS
};

struct layer_word {
	layer_roles roles; /* 0: it depends, or nobody knows */
	layer_roles also; /* beside those, whatever they are */
	enum layer_block_kind block; /* BLOCKS: it depends */
	enum layer_act act; /* of operators and kernels */
};

/* A module below a layer. Kineto tells classes and numbers ("RowParallelLinear_0"),
 * layerwise NVTX attribute names ("model.layers.3.self_attn.o_proj"). */
struct module_at {
	const char *class_name; /* without its number; NULL unknown */
	const char *name; /* the attribute; NULL unknown */
	const char *const *parents; /* classes or names, the innermost first, up
		to the layer */
	uint32_t parents_n;
	uint32_t ordinal,
		siblings; /* among those of its class or name below the
		same parent: which, from 0, in the order in which they run; of
		how many */
};

/* False where nothing is known of it. */
bool catalog_module_word(const struct catalog *c, const struct module_at *m,
	struct layer_word *out);
bool catalog_operator_word(const struct catalog *c, const char *operator_,
	struct layer_word *out);
/* What a kernel's name tells beyond its operator: which way a collective moves
 * tokens, that it finishes another, what one step of a norm does. */
bool catalog_kernel_word(const struct catalog *c, const char *name, size_t len,
	struct layer_word *out);

/* layer_words.h - what modules and operators do in a layer.
 *
 * The data are data/module_roles.json and data/operator_blocks.json. A module
 * is identified by its class or attribute name, by what contains it and by
 * its index among modules of its kind there. An operator is identified by its
 * name. */
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
	layer_roles roles; /* 0: it depends, or is unknown */
	layer_roles also; /* in addition to those, whatever they are */
	enum layer_block_kind block; /* BLOCKS: it depends */
	enum layer_act act; /* of operators and kernels */
};

/* A module below a layer. Kineto records classes and numbers
 * ("RowParallelLinear_0"); layerwise NVTX records attribute names
 * ("model.layers.3.self_attn.o_proj"). */
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

/* False if it is unknown. */
bool catalog_module_word(const struct catalog *c, const struct module_at *m,
	struct layer_word *out);
bool catalog_operator_word(const struct catalog *c, const char *operator_,
	struct layer_word *out);
/* What a kernel's name shows beyond its operator: in which direction a
 * collective moves tokens, that it finishes another, or what one step of a
 * norm does. */
bool catalog_kernel_word(const struct catalog *c, const char *name, size_t len,
	struct layer_word *out);

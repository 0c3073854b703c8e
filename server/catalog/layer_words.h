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
	layer_roles also; /* roles in addition to `roles`, whatever these are */
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
		siblings; /* position (from 0, in the order of execution) and
		number of modules with its class or name in its parent */
};

/* False if it is unknown. */
bool catalog_module_word(const struct catalog *c, const struct module_at *m,
	struct layer_word *out);
bool catalog_operator_word(const struct catalog *c, const char *operator_,
	struct layer_word *out);
/* What a kernel's name shows in addition to its operator: the direction in
 * which a collective moves tokens, that the kernel finishes the work of another
 * kernel, or which step of a norm it is. */
bool catalog_kernel_word(const struct catalog *c, const char *name, size_t len,
	struct layer_word *out);

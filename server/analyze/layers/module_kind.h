/* module_kind.h - kinds of layers in one stack, by the modules in them.
 *
 * Layers of one class below one parent are of one kind if they hold the same
 * modules: what one has and the other does not takes less than a fifth of
 * either's time. Only the first or last layer may have less, if the recording
 * begins or ends in it. */
#pragma once
#include "module_stack.h"

enum { MODULE_KINDS_MOST = 256 };

struct module_kind {
	uint32_t stack; /* mark that its layers are below */
	uint32_t layer; /* mark of one of them */
	const char *name; /* NULL if no class gives one */
	const char *differs; /* what it has and others of its class have not */
};

struct module_kinds {
	struct module_kind *kinds;
	uint32_t n; /* more than MODULE_KINDS_MOST: the list is empty */
	uint32_t *of; /* by mark of a layer */
};

/* `named`: whatever the layers are called is their name. In s->arena; false where
 * it is full. */
bool module_kinds_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, bool named, struct module_kinds *out);

/* Gives kinds of layers that share a name names of their own. Kinds of stacks in
 * different places are named by the innermost module around them that differs,
 * "Owlv2TextTransformer Owlv2EncoderLayer", or by its number. Kinds of one stack
 * are named by what only that kind contains, "DecoderLayer (MoE)". Returns false
 * if the arena is full. */
bool module_kind_names(const struct layer_seq *s, const struct module_marks *m,
	struct module_kinds *k);

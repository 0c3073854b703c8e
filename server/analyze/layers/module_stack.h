/* module_stack.h - builds a tree of the modules and ranges around launches,
 * finds which of them are layers, and finds the kinds of layers.
 *
 * A node of the tree is called a mark. Mark 0 is the root, and a mark's parent
 * has a lower index. Frames of Python and of operators are not marks. Modules
 * that only contain others are not marks either (Sequential, or a class that
 * wraps a module to shard it). The path of a layerwise range
 * ("model.layers.3.mlp") has one mark per part, below the range whose path it
 * continues. A number in the name of a range is removed if the range is not
 * called a layer ("request 12"): such numbers differ from step to step and
 * would separate equal ranges.
 *
 * Layers are siblings of one class that contain most of the time of their
 * parent; the outermost such siblings are chosen. A class that is called a
 * layer or block is preferred. Another class must have at least two members
 * with modules in them. Further classes below the same parent are layers of
 * another kind if they are also called layers or blocks and contain a module of
 * the same class. */
#pragma once
#include "layer_seq.h"
#include "module_name.h"

struct module_mark {
	uint32_t parent;
	uint32_t word; /* class, attribute or words: id in `words` */
	int64_t number; /* -1: none */
	uint32_t path; /* id in `words` of the dotted path up to this mark; 0
		none */
	bool class_name; /* a module as Kineto records it */
	bool module; /* a module; else a range */
	int64_t self_ns,
		time_ns; /* kernels whose innermost mark it is; all kernels in it */
	uint32_t first; /* its first item; LAYER_NONE: it has no launch */
};

struct module_marks {
	struct module_mark *marks;
	uint32_t n;
	uint32_t *of_frame; /* by frame: innermost mark; 0 none */
	struct names words;
	struct names nodes; /* struct module_mark_key; id = mark */
	/* Time of kernels of analyzed passes: all kernels, those with a mark
	 * around them, and those with any frame around them. */
	int64_t gpu_ns, known_ns;
	int64_t path_ns;
};

static inline const char *module_mark_word(const struct module_marks *m,
	uint32_t mark)
{
	return names_text(&m->words, m->marks[mark].word);
}

struct module_stacks {
	uint32_t *layer_of; /* by mark: the layer that it is or is in; 0 none */
	uint32_t n; /* number of marks that are layers */
	int64_t time_ns; /* of kernels in layers */
	bool modules; /* layers are modules; else ranges */
	bool by_name; /* layers were chosen by name, at any depth */
	/* By mark: its index, from 0 and by number, among the numbered marks of
	 * the same class and parent; and how many these are. */
	uint32_t *ordinal, *siblings;
};

/* Finds the marks and the layers among them. `ranges`: annotations are marks,
 * too; otherwise only modules are. `wanted`: layers are the outermost marks
 * with this name, class or attribute; NULL: layers are searched. Allocates in
 * the arena. Returns false if the arena is full. */
bool module_stacks_from(const struct layer_seq *s, const char *wanted,
	bool ranges, struct module_marks *m, struct module_stacks *out);

/* Returns the mark that identifies the stack of a layer: its parent. For layers
 * that were chosen by name, it is the innermost mark around the layer that is
 * the only one of its class in its parent. */
static inline uint32_t module_stack_of(const struct module_marks *m,
	const struct module_stacks *s, uint32_t layer)
{
	uint32_t up = m->marks[layer].parent;

	for (int i = 0; s->by_name && up && i < 64 && s->siblings[up] > 1; i++)
		up = m->marks[up].parent;
	return up;
}

enum { MODULE_KINDS_MOST = 256 };

struct module_kind {
	uint32_t stack; /* mark that identifies the stack */
	uint32_t layer; /* mark of one layer of this kind */
	const char *name; /* NULL if no class gives a name */
	const char *differs; /* what only this kind of its class contains */
};

struct module_kinds {
	struct module_kind *kinds;
	uint32_t n; /* more than MODULE_KINDS_MOST: the list is empty */
	uint32_t *of; /* by mark of a layer */
};

/* Finds the kinds of layers. Layers of one class below one parent are of one
 * kind if they contain the same modules: modules that only one of two layers
 * has take less than a fifth of that layer's time. The first or last layer may
 * lack more, because the recording may begin or end within it. `named`: the
 * name of the layers' marks is the name of the kind.
 *
 * Kinds with the same name get different names. Kinds of several stacks are
 * named by the innermost module around them that differs, such as
 * "Owlv2TextTransformer Owlv2EncoderLayer", or by its number. Kinds of one
 * stack are named by what only that kind contains, such as "DecoderLayer
 * (MoE)". Allocates in s->arena; returns false if it is full. */
bool module_kinds_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, bool named, struct module_kinds *out);

/* module_stack.h - the modules and ranges around launches as a tree of marks,
 * which of the marks are layers, and the kinds of layers.
 *
 * Frames of Python and of operators are not marks, nor are modules that only
 * hold others (Sequential, or a class that wraps a module to shard it). The
 * path of a layerwise range ("model.layers.3.mlp") is one mark per part, below
 * the range whose path it continues. Numbers of what is no layer ("request 12")
 * are dropped from ranges' marks: they differ from step to step and would
 * separate what belongs together. A mark's parent has a lower index; mark 0 is
 * the root.
 *
 * Layers are siblings of one class, the outermost that hold most of the time of
 * the mark around them. A class that is called a layer or block is preferred to
 * one that is not. A class that is not called so must have at least two members
 * with modules in them. Other classes below the same parent are layers of another
 * kind if they are called so, too, and contain something of the same class. */
#pragma once
#include "layer_seq.h"
#include "module_name.h"

struct module_mark {
	uint32_t parent;
	uint32_t word; /* class, attribute or words: id in `words` */
	int64_t number; /* -1: none */
	uint32_t path; /* id in `words` of all of a dotted path up to here; 0 */
	bool class_name; /* of a module as Kineto records it */
	bool module; /* a module; else a range */
	int64_t self_ns,
		time_ns; /* kernels right in it; and including all below */
	uint32_t first; /* item; LAYER_NONE: no launch is in it */
};

struct module_marks {
	struct module_mark *marks;
	uint32_t n;
	uint32_t *of_frame; /* by frame: innermost mark; 0 none */
	struct names words;
	struct names nodes; /* struct module_mark_key; id = mark */
	int64_t gpu_ns, known_ns; /* kernels of passes that count, in all and
		with a mark around them */
	int64_t path_ns; /* … with anything around them */
};

static inline const char *module_mark_word(const struct module_marks *m,
	uint32_t mark)
{
	return names_text(&m->words, m->marks[mark].word);
}

struct module_stacks {
	uint32_t *layer_of; /* by mark: the layer it is or is in; 0 none */
	uint32_t n; /* marks that are layers */
	int64_t time_ns; /* of kernels in them */
	bool modules; /* else ranges */
	bool by_name; /* chosen by name, at any depth */
	/* By mark, among those of its class and parent that are numbered: which,
	 * from 0, by number; of how many. */
	uint32_t *ordinal, *siblings;
};

/* Finds the marks and the layers among them. `ranges`: includes annotations,
 * otherwise modules only. `wanted`: the outermost marks of this name, class or
 * attribute; NULL: the layers are searched. Allocates in the arena. Returns false
 * if it is full. */
bool module_stacks_from(const struct layer_seq *s, const char *wanted,
	bool ranges, struct module_marks *m, struct module_stacks *out);

/* Returns what the layers of one stack share: the mark right above them. For
 * layers chosen by name it is the innermost mark around them that is the
 * only one of its class in its parent. */
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

/* Layers of one class below one parent are of one kind if they hold the same
 * modules: what one has and the other does not takes less than a fifth of
 * either's time. Only the first or last layer may have less, if the recording
 * begins or ends in it. `named`: the name of the layers' mark is their name.
 *
 * Kinds that share a name get names of their own. Kinds of stacks in different
 * places are named by the innermost module around them that differs,
 * "Owlv2TextTransformer Owlv2EncoderLayer", or by its number. Kinds of one stack
 * are named by what only that kind contains, "DecoderLayer (MoE)". Allocates in
 * s->arena; returns false if it is full. */
bool module_kinds_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, bool named, struct module_kinds *out);

/* module_mark.h - the modules and ranges around a sequence's launches, as a tree.
 *
 * Frames of Python and of operators are left out of it, and so are modules that
 * only hold others (Sequential, what wraps a module to share it out). The path of a
 * layerwise range ("model.layers.3.mlp") is as many marks as it has parts, below
 * the range whose path it goes on from. Numbers of what is no layer ("request
 * 12") are left out of ranges' marks: what differs from step to step would part
 * what belongs together. A mark's parent has a lower index; mark 0 is the root. */
#pragma once
#include "module_name.h"
#include "layer_seq.h"

struct module_mark {
	uint32_t parent;
	uint32_t word; /* class, attribute or words: id in `words` */
	int64_t number; /* -1: none */
	uint32_t path; /* id in `words` of all of a dotted path up to here; 0 */
	bool class_name; /* of a module as Kineto tells it */
	bool module; /* a module; else a range */
	int64_t self_ns, time_ns; /* kernels right in it; and in all below */
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

/* `ranges`: annotations too, else modules alone. In the arena. False where it is
 * full. */
bool module_marks_from(struct module_marks *m, const struct layer_seq *s,
	bool ranges);

static inline const char *module_mark_word(const struct module_marks *m,
	uint32_t mark)
{
	return names_text(&m->words, m->marks[mark].word);
}

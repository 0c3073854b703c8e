/* module_content.h - what is in layers, as sets that can be laid side by side.
 *
 * A part of a set is a class or attribute below the layer, by its path without
 * numbers; layers with equal sets share one. For module_kind.h alone. */
#pragma once
#include "module_stack.h"

/* What a module is called from the layer on: hashed as bytes, so it has no gaps. */
struct module_rel {
	uint32_t up, word, class_name;
};

/* A layer has it. */
struct module_has {
	uint32_t layer, rel;
	int64_t self_ns, time_ns;
};

/* Layers with the same set; their times added up. */
struct module_set {
	uint32_t layer; /* the first of them */
	uint32_t from, n; /* in `has` */
	int64_t members, total_ns;
	bool edge; /* its layer is the first or last of the stack */
	uint32_t kind;
};

struct module_content {
	const struct module_marks *m;
	const struct module_stacks *l;
	struct names rels; /* struct module_rel; id 0: the layer itself */
	struct names keys; /* sets: id - 1 in `sets` */
	struct module_has *has;
	struct module_set *sets;
	uint32_t has_n, sets_n;
	uint32_t *rel_of; /* by mark */
	uint32_t *set_of; /* by mark of a layer */
};

/* All is in the scratch arena. False where it is full. */
bool module_content_from(struct module_content *c, const struct module_marks *m,
	const struct module_stacks *l, struct arena *scratch);

/* Time of what `a` has and `b` has not; *most is that which takes longest. */
int64_t module_content_only(const struct module_content *c,
	const struct module_set *a, const struct module_set *b, uint32_t *most);

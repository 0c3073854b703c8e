/* module_stack.h - which marks are layers: siblings of one class, the outermost
 * that hold most of the time of what they are in.
 *
 * A class that is called a layer or block comes before one that is not. One that
 * is not has members with modules in them, two at least. Other classes below the same parent are layers of another kind
 * where they are called so, too, and have something of the same class in them. */
#pragma once
#include "module_mark.h"

struct module_stacks {
	uint32_t *layer_of; /* by mark: the layer it is or is in; 0 none */
	uint32_t n; /* marks that are layers */
	int64_t time_ns; /* of kernels in them */
	bool modules; /* else ranges */
	bool asked; /* by name, however deep they lie */
	/* By mark, among those of its class and parent that are numbered: which,
	 * from 0, by number; of how many. */
	uint32_t *ordinal, *siblings;
};

/* `asked`: the marks of this name, class or attribute, the outermost; NULL: to
 * be found. In the arena; false where it is full. */
bool module_stacks_from(const struct module_marks *m, const char *asked,
	struct arena *a, struct module_stacks *out);

/* What the layers of one stack share: the mark they are right below; of those
 * asked for by name, the innermost around them that is the only one of its class
 * where it is. */
static inline uint32_t module_stack_of(const struct module_marks *m,
	const struct module_stacks *s, uint32_t layer)
{
	uint32_t up = m->marks[layer].parent;

	for (int i = 0; s->asked && up && i < 64 && s->siblings[up] > 1; i++)
		up = m->marks[up].parent;
	return up;
}

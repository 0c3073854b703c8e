/* module_kind.h - layers of one stack told apart by what is in them.
 *
 * Layers of one class below one parent are of one kind where the modules in them
 * are: what one has and the other has not takes less than a fifth of either's
 * time. The first or last layer alone may have less, where the recording begins or
 * ends in it. */
#pragma once
#include "module_stack.h"

enum { MODULE_KINDS_MOST = 256 };

struct module_kind {
	uint32_t stack; /* mark that its layers are below */
	uint32_t layer; /* mark of one of them */
	const char *name; /* NULL where no class tells one */
	const char *differs; /* what it has and others of its class have not */
};

struct module_kinds {
	struct module_kind *kinds;
	uint32_t n; /* more than MODULE_KINDS_MOST: none are told */
	uint32_t *of; /* by mark of a layer */
};

/* `named`: whatever the layers are called is their name. In s->arena; false where
 * it is full. */
bool module_kinds_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, bool named, struct module_kinds *out);

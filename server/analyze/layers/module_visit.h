/* module_visit.h - each time that a layer was run, and the launches of it.
 *
 * One layer may run several times in a pass: in the order of the host's thread,
 * launches of it are of one visit until those of another layer come, or another
 * range of its name was opened. Launches of one replay of a graph are of one
 * visit by layer. */
#pragma once
#include "module_stack.h"

struct module_visit {
	uint32_t mark, pass;
	int64_t first_ns, last_ns; /* starts of its first and last launches */
};

struct module_visits {
	struct module_visit *visits; /* by pass and first start */
	uint32_t n;
	uint32_t *of; /* by item; LAYER_NONE outside layers */
};

/* Of kernels with a layer around them, in passes that count. In the arena; false
 * where it is full. */
bool module_visits_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, struct module_visits *out);

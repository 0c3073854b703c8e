/* module_open.h - which range of a layer's name was open at each moment on the
 * host: which of its runs a launch is of. */
#pragma once
#include "module_stack.h"

struct module_open {
	int64_t at_ns;
	uint32_t thread; /* 0: not told */
	uint32_t pass, mark, item;
	uint32_t row; /* found: of the trace's ranges; else LAYER_NONE */
};

/* Fills `row`; orders `open` by moment. False where the arena is full. */
bool module_open_find(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, struct module_open *open, uint32_t n,
	struct arena *scratch);

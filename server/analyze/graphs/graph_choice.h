/* graph_choice.h - what is known of a replay's kernels, from the captures with
 * the same kernels. */
#pragma once
#include "attribution.h"
#include "graph_shapes.h"

/* Graphs of fewer kernels than that look alike in any program: they are known
 * from captures of their own run only. */
enum { GRAPH_TELLS = 3 };

struct graph_place {
	const struct operator_info *operator; /* NULL unknown */
	const struct shape *sizes; /* NULL unknown */
	uint32_t call; /* from 0 in each replay */
	bool differ; /* sizes are left out because captures differ */
};

struct graph_choice {
	const struct graph_place *places; /* by kernel; NULL: no capture */
	uint32_t calls;
};

struct graph_chooser {
	const struct attribution *x;
	struct arena *arena; /* scratch; the shapes are x->arena's */
	struct graph_shapes shapes;
	struct names asked; /* struct asked */
	struct graph_choice *choices; /* by id */
	uint32_t cap;
};

bool graph_chooser_init(struct graph_chooser *c, const struct attribution *x,
	struct arena *scratch);
/* Of a sequence of names (its id, and ids of the trace) replayed in a step of so
 * many tokens, -1 unknown. Good until the next call; NULL where the arena is
 * full. */
const struct graph_choice *graph_choose(struct graph_chooser *c,
	uint32_t sequence, const uint32_t *names, uint32_t n, int64_t tokens);

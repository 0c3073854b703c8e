/* graph_choice.h - what is known of a replay's kernels, from the captures with the
 * same kernels. */
#pragma once
#include "attribution.h"
#include "names.h"
#include "operators.h"

struct graph_shapes {
	struct arena *arena; /* the shapes' */
	struct names texts; /* each behind a byte for its type */
	const struct shape **shapes; /* by id; NULL: not readable */
	uint32_t cap;
};

struct graph_place {
	const struct operator_info *op; /* NULL unknown */
	const struct shape *sizes; /* NULL unknown */
	uint32_t call; /* from 0 in each replay */
	bool differ; /* sizes are left out because captures differ */
};

struct graph_choice {
	const struct graph_place *places; /* by kernel; NULL: no capture */
	uint32_t calls;
};

struct graph_choice_state {
	const struct attribution *x;
	struct arena *arena; /* scratch; the shapes are x->arena's */
	struct graph_shapes shapes;
	struct names looked_up; /* struct graph_choice_key */
	struct graph_choice *choices; /* by id */
	uint32_t cap;
};

bool graph_choice_init(struct graph_choice_state *c,
	const struct attribution *x, struct arena *scratch);

/* Of a sequence of names (its id, and ids of the trace) replayed in a step of so
 * many tokens, -1 unknown. Good until the next call; NULL if the arena is
 * full. */
const struct graph_choice *graph_choice_of(struct graph_choice_state *c,
	uint32_t sequence, const uint32_t *names, uint32_t n, int64_t tokens);

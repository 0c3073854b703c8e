/* graph_shapes.h - shapes that were kept as text, each read once. */
#pragma once
#include "names.h"
#include "operators.h"

struct graph_shapes {
	struct arena *arena; /* the shapes' */
	struct names texts; /* each behind a byte for its type */
	const struct shape **shapes; /* by id; NULL: not readable */
	uint32_t cap;
};

bool graph_shapes_init(struct graph_shapes *s, struct arena *shapes,
	struct arena *scratch);
/* *out is NULL where a node tells no sizes, or none that can be read. False
 * where the arena is full. */
bool graph_shapes_of(struct graph_shapes *s,
	const struct graph_node_known *node, const struct shape **out);

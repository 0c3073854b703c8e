/* graph_shapes.c - texts interned, and a shape beside each. */
#include "graph_shapes.h"
#include <string.h>

bool graph_shapes_init(struct graph_shapes *s, struct arena *shapes,
	struct arena *scratch)
{
	*s = (struct graph_shapes){ .arena = shapes };
	return names_init(&s->texts, scratch);
}

static bool room(struct graph_shapes *s, uint32_t id)
{
	uint32_t cap = id * 2 + 64;

	if (id < s->cap)
		return true;
	void *grown = arena_grow(s->texts.arena, s->shapes,
		(size_t)cap * sizeof *s->shapes);
	if (!grown)
		return false;
	s->shapes = grown;
	s->cap = cap;
	return true;
}

static bool read(struct graph_shapes *s, const struct graph_node_known *node,
	const struct shape **out)
{
	struct shape *shape = arena_new(s->arena, struct shape);
	struct err e = { 0 };

	if (!shape)
		return false;
	bool ok = shape_read(node->shape, node->dtype, s->arena, shape, &e);
	*out = ok ? shape : NULL;
	return ok || !s->arena->full;
}

bool graph_shapes_of(struct graph_shapes *s,
	const struct graph_node_known *node, const struct shape **out)
{
	*out = NULL;
	if (!node->shape)
		return true;
	size_t len = strlen(node->shape);
	char *key = arena_grow(s->texts.arena, NULL, len + 1);
	if (!key)
		return false;
	key[0] = (char)node->dtype;
	memcpy(key + 1, node->shape, len);
	uint32_t known = s->texts.n;
	uint32_t id = names_put(&s->texts, key, len + 1);
	arena_drop(s->texts.arena, key);
	if (id == NAMES_NONE || !room(s, id))
		return false;
	if (id == known && !read(s, node, &s->shapes[id]))
		return false;
	*out = s->shapes[id];
	return true;
}

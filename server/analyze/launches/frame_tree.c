/* frame_tree.c - stores the frames of call paths: one node per parent, kind and
 * name. */
#include "frame_tree.h"
#include "frame_name.h"
#include <string.h>

/* The key of a node. It is hashed as bytes, so it has no padding. */
struct frame_tree_frame_key {
	uint32_t parent;
	uint32_t kind;
	uint32_t text; /* id in trace.names; from trace.names.n on, in texts */
};

enum { KINDS = FRAME_OP + 1 };

/* The name in a path for a name of the trace. */
struct frame_label {
	uint32_t text; /* as above, plus one; 0 not known yet */
	enum frame_kind kind;
};

bool frame_tree_init(struct frame_tree *ft, const struct trace *t,
	struct arena *a)
{
	*ft = (struct frame_tree){ .t = t, .arena = a };
	ft->labels = arena_grow(a, NULL,
		(size_t)t->names.n * KINDS * sizeof *ft->labels);
	return ft->labels && names_init(&ft->nodes, a) &&
	       names_init(&ft->texts, a);
}

void frame_tree_release(struct frame_tree *ft)
{
	arena_drop(ft->arena, ft->labels);
	ft->labels = NULL;
}

static uint32_t frame_tree_text_id(struct frame_tree *ft, const char *s,
	size_t len)
{
	uint32_t id = names_find(&ft->t->names, s, len);
	if (id != NAMES_NONE)
		return id;
	id = names_put(&ft->texts, s, len);
	return id == NAMES_NONE ? id : ft->t->names.n + id;
}

/* NULL if the arena is full. */
static const struct frame_label *frame_tree_label(struct frame_tree *ft,
	enum frame_kind kind, uint32_t name)
{
	struct frame_label *l = &ft->labels[(size_t)name * KINDS + kind];
	const struct name *n = &ft->t->names.list[name];
	const char *text;
	size_t len;

	if (l->text)
		return l;
	if (!frame_name_from(ft->arena, &kind, n->text, n->len, &text, &len))
		return NULL;
	uint32_t id = frame_tree_text_id(ft, text, len);
	if (id == NAMES_NONE)
		return NULL;
	*l = (struct frame_label){ id + 1, kind };
	return l;
}

static uint32_t frame_tree_node(struct frame_tree *ft,
	const struct frame_tree_frame_key *key, uint32_t most)
{
	const char *bytes = (const char *)key;
	uint32_t id = names_find(&ft->nodes, bytes, sizeof *key);

	if (id != NAMES_NONE)
		return id;
	return ft->nodes.n >= most ? 0
				   : names_put(&ft->nodes, bytes, sizeof *key);
}

uint32_t frame_tree_child(struct frame_tree *ft, uint32_t parent,
	enum frame_kind kind, uint32_t name)
{
	const struct frame_label *l = frame_tree_label(ft, kind, name);

	if (!l)
		return NAMES_NONE;
	struct frame_tree_frame_key key = { parent, l->kind, l->text - 1 };
	return frame_tree_node(ft, &key, FRAME_TREE_MAX);
}

uint32_t frame_tree_overflow(struct frame_tree *ft)
{
	static const char name[] = "(paths left out)";
	struct frame_tree_frame_key key = { 0, FRAME_ANNOTATION,
		frame_tree_text_id(ft, name, sizeof name - 1) };

	if (key.text == NAMES_NONE)
		return NAMES_NONE;
	return frame_tree_node(ft, &key, FRAME_TREE_MAX + 1);
}

bool frame_tree_frames(const struct frame_tree *ft, struct frame **frames,
	uint32_t *n)
{
	uint32_t of_trace = ft->t->names.n;
	struct frame *f = arena_array(ft->arena, struct frame, ft->nodes.n);

	for (uint32_t i = 1; f && i < ft->nodes.n; i++) {
		struct frame_tree_frame_key key;
		memcpy(&key, names_text(&ft->nodes, i), sizeof key);
		f[i].parent = key.parent;
		f[i].kind = (enum frame_kind)key.kind;
		f[i].name =
			key.text < of_trace
				? names_text(&ft->t->names, key.text)
				: names_text(&ft->texts, key.text - of_trace);
	}
	if (f)
		f[0].name = "";
	*frames = f;
	*n = ft->nodes.n;
	return f;
}

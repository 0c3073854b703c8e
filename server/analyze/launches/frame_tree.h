/* frame_tree.h - stores call paths as a tree of frames.
 *
 * Paths with the same outer frames share the nodes of these frames. Node 0 is
 * the root and is not a frame. Children of one parent with the same kind and
 * the same name (as frame_name.h computes it) are one node. The tree has at
 * most FRAME_TREE_MAX nodes. */
#pragma once
#include "profile.h"
#include "trace.h"

enum { FRAME_TREE_MAX = 200000 };

struct frame_tree {
	const struct trace *t;
	struct arena *arena;
	struct names nodes; /* struct frame_key; id = node */
	struct names texts; /* names that the trace does not contain */
	struct frame_label *labels; /* by name and kind */
};

/* False if the arena is full. */
bool frame_tree_init(struct frame_tree *ft, const struct trace *t,
	struct arena *a);
void frame_tree_release(struct frame_tree *ft);

/* Returns the node below `parent` for a name of the trace. Returns 0 if the
 * tree has the most nodes allowed, and NAMES_NONE if the arena is full. */
uint32_t frame_tree_child(struct frame_tree *ft, uint32_t parent,
	enum frame_kind kind, uint32_t name);
/* Returns the node below the root for paths of which no frame fits in the
 * tree. */
uint32_t frame_tree_overflow(struct frame_tree *ft);

/* Returns all nodes, with the root, as frames of the profile. False if the
 * arena is full. */
bool frame_tree_frames(const struct frame_tree *ft, struct frame **frames,
	uint32_t *n);

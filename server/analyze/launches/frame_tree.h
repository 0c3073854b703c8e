/* frame_tree.h - paths that share their beginnings, as a tree of frames.
 *
 * Node 0 is the root and no frame. Equal frames of one parent are one node, by
 * the name that frame_name.h gives. The tree is bounded: beyond FRAME_TREE_MAX
 * nodes it takes no more. */
#pragma once
#include "profile.h"
#include "trace.h"

enum { FRAME_TREE_MAX = 200000 };

struct frame_tree {
	const struct trace *t;
	struct arena *arena;
	struct names nodes; /* struct frame_key; id = node */
	struct names texts; /* names that the trace does not hold */
	struct frame_label *labels; /* by name and kind */
};

/* False if the arena is full. */
bool frame_tree_init(struct frame_tree *ft, const struct trace *t,
	struct arena *a);
void frame_tree_release(struct frame_tree *ft);

/* The node below `parent` for a name of the trace. 0 if the tree has enough
 * of them, NAMES_NONE if the arena is full. */
uint32_t frame_tree_child(struct frame_tree *ft, uint32_t parent,
	enum frame_kind kind, uint32_t name);
/* The node below the root for paths that found no place at all. */
uint32_t frame_tree_overflow(struct frame_tree *ft);

/* All nodes as the profile keeps them, the root included. False if the
 * arena is full. */
bool frame_tree_frames(const struct frame_tree *ft, struct frame **frames,
	uint32_t *n);

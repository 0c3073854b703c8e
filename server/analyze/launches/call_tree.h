/* call_tree.h - GPU time as a tree: root, then the frames of call paths, then
 * the kernels that they launched.
 *
 * Frames of one parent are one node if they have the same kind and the same name
 * as frame_name_merged() computes it: the 24 instances of a layer, and all that
 * is below them, are one node. Without `merge`, only equal names are one node.
 *
 * A node of one name keeps this name; several names share their merged name.
 *
 * A side is one run. A tree of two sides has the nodes of both; kernels are
 * compared by full name, and Python functions by file and name, because their
 * lines differ between versions of the code. The sums of the children of a node that is not a kernel
 * add up to the sums of the node, to the nanosecond, and those of the root are
 * the sums of the callers. No limit on depth; nothing here is recursive. */
#pragma once
#include "arena.h"
#include "profile.h"
#include <stdbool.h>
#include <stdint.h>

enum { CALL_TREE_SIDES = 2 };

/* The first four are those of enum frame_kind. */
enum call_kind {
	CALL_ANNOTATION,
	CALL_MODULE,
	CALL_PYTHON,
	CALL_OP,
	CALL_KERNEL,
	CALL_NO_RANGE, /* launches of CALLER_NO_RANGE */
	CALL_NO_CALL, /* launches of CALLER_NO_CALL */
	CALL_OTHER, /* nodes that call_tree_fold() removed */
	CALL_ROOT,
};

struct call_sum {
	int64_t launches, total_ns;
	uint32_t callers; /* single paths, each with one kernel */
};

struct call_node {
	uint32_t parent; /* index, less than its own; of the root: 0 */
	enum call_kind kind;
	const char *name; /* NULL: the root, and kinds that have no name */
	/* file and line of a Python frame: "model.py:12" for the name
	 * "model.py(12): forward"; NULL if the name has none */
	const char *source;
	/* Frames: distinct names that are one node. CALL_OTHER: removed nodes. */
	uint32_t members;
	/* the nearest user frame of launches below it: the innermost Python
	 * frame of their path that is not of a library (library_code.def) */
	bool user;
	/* CALL_KERNEL: index into call_paths.kernels of the first side that
	 * has it, and that side */
	uint32_t kernel, kernel_side;
	struct call_sum side[CALL_TREE_SIDES];
};

struct call_tree {
	struct call_node *nodes; /* the first one is the root */
	uint32_t n;
	double min_share_pct; /* of call_tree_fold(), as applied */
};

/* The tree of one or two sides. The arena must have no limit. */
void call_tree_from(struct call_tree *t, struct arena *a,
	const struct call_paths *const *sides, uint32_t sides_n, bool merge);

/* Replaces the nodes with less than `min_share_pct` of every side by one
 * CALL_OTHER in each parent, which has their sums. If more than `max_nodes`
 * would stay, the share is raised until they do not. The shares are of the
 * side's time, or of its launches if its time is 0. */
void call_tree_fold(struct call_tree *t, struct arena *a, double min_share_pct,
	uint32_t max_nodes);

/* The index of the nearest user frame of a path, the outermost frame first; -1
 * if there is none. */
int64_t call_tree_user_frame(const struct frame *path, uint32_t n);

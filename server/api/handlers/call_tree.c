/* call_tree.c - the call paths that launched kernels: the callers of one kernel,
 * and the tree of a run. */
#include "call_tree.h"
#include "distinct_name.h"
#include "listing.h"
#include "names.h"
#include "stats.h"
#include "view.h"
#include <stdlib.h>
#include <string.h>

/* The order of PARAM(…, "merge", …) in routes.def. */
enum { CALL_TREE_MERGE_LAYERS, CALL_TREE_MERGE_NONE };

/* Rectangles that a page can draw at once, and 2 MB of JSON with usual names. */
enum { CALL_TREE_NODES = 5000 };

static bool call_tree_merges(const struct call *c)
{
	return param(&c->params, "merge")->whole == CALL_TREE_MERGE_LAYERS;
}

/* ---- callers of a kernel */

static int call_tree_by_total(const void *left, const void *right)
{
	const struct call_node *const *a = left, *const *b = right;
	int64_t x = (*a)->side->total_ns, y = (*b)->side->total_ns;
	if (x != y)
		return x < y ? 1 : -1;
	return *a < *b ? -1 : *a > *b;
}

/* The nodes of kernels, most time first. */
static const struct call_node **call_tree_leaves(struct arena *a,
	const struct call_tree *t, uint32_t *n)
{
	const struct call_node **leaf =
		arena_array(a, const struct call_node *, t->n);
	*n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->nodes[i].kind == CALL_KERNEL)
			leaf[(*n)++] = &t->nodes[i];
	qsort(leaf, *n, sizeof *leaf, call_tree_by_total);
	return leaf;
}

/* The line of a kernel's node. Returns the bytes of its names. */
static size_t call_tree_line(struct arena *a, const struct call_tree *t,
	const struct call_node *leaf, struct caller_line *l)
{
	size_t bytes = 0;
	*l = (struct caller_line){ .known = CALLER_PATH,
		.paths = leaf->side->callers,
		.launches = leaf->side->launches,
		.total_ns = leaf->side->total_ns };
	if (t->nodes[leaf->parent].kind == CALL_NO_RANGE)
		l->known = CALLER_NO_RANGE;
	if (t->nodes[leaf->parent].kind == CALL_NO_CALL)
		l->known = CALLER_NO_CALL;
	if (l->known != CALLER_PATH)
		return bytes;
	for (uint32_t i = leaf->parent; i; i = t->nodes[i].parent)
		l->path_n++;
	l->cut = l->path_n > QUERY_PATH;
	l->path_n = l->cut ? QUERY_PATH : l->path_n;
	struct frame *f = arena_array(a, struct frame, l->path_n);
	uint32_t at = leaf->parent;
	for (uint32_t i = l->path_n; i-- > 0; at = t->nodes[at].parent) {
		f[i] = (struct frame){
			.kind = (enum frame_kind)t->nodes[at].kind,
			.name = t->nodes[at].name
		};
		bytes += strlen(f[i].name) + 32;
	}
	l->path = f;
	return bytes;
}

/* Reads the callers of a kernel and merges them; a page of lines from `offset`,
 * with at most QUERY_PAGE_BYTES of names, but at least one line. */
static bool call_tree_callers_merged(struct call *c, int64_t offset, int limit,
	struct caller_table *out, struct err *e)
{
	struct arena *a = &c->s.arena;
	struct call_paths paths;
	const struct call_paths *side = &paths;
	struct call_tree tree;
	uint32_t n;
	size_t bytes = 0;
	if (!query_callers(c->s.db, a, c->id, c->k, 0, 0, out, e) ||
		!query_call_paths(c->s.db, a, c->id, c->k, &paths, e))
		return false;
	call_tree_from(&tree, a, &side, 1, true);
	const struct call_node **leaf = call_tree_leaves(a, &tree, &n);
	out->lines = arena_array(a, struct caller_line, (size_t)limit);
	for (int64_t i = offset; i < n && !out->more; i++) {
		out->more = out->n == (uint32_t)limit;
		if (out->more)
			break;
		bytes += call_tree_line(a, &tree, leaf[i], &out->lines[out->n]);
		out->more = out->n > 0 && bytes > QUERY_PAGE_BYTES;
		out->n += !out->more;
	}
	return true;
}

json_t *callers_get(struct call *c, struct err *e)
{
	int limit = (int)param(&c->params, "limit")->whole;
	struct caller_table t;
	struct run_row run;
	int64_t offset;
	if (!listing_seek(c, &offset, e) || !listing_run(c, &run, e))
		return NULL;
	bool ok = call_tree_merges(c)
			  ? call_tree_callers_merged(c, offset, limit, &t, e)
			  : query_callers(c->s.db, &c->s.arena, c->id, c->k,
				    offset, limit, &t, e);
	if (!ok)
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < t.n; i++)
		view_append(items,
			view_caller(&t.lines[i],
				stats_pct(t.lines[i].total_ns, t.total_ns)));
	return view_callers(c->k, &t,
		listing_list(c, items, offset + t.n, t.more));
}

/* ---- the tree of a run, or of two */

/* Lists the kernels of the tree's nodes, each once. */
static void call_tree_kernels(struct view_call_tree *v,
	const struct call_paths *sides)
{
	struct arena *a = v->arena;
	const struct call_tree *t = v->tree;
	struct names seen; /* full names; id = index of the kernel + 1 */
	struct view_call_kernel *list =
		arena_array(a, struct view_call_kernel, t->n);
	const char **names = arena_array(a, const char *, t->n);
	uint32_t *of = arena_array(a, uint32_t, t->n);
	names_init(&seen, a);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct call_node *n = &t->nodes[i];
		if (n->kind != CALL_KERNEL)
			continue;
		const struct call_paths *side = &sides[n->kernel_side];
		of[i] = names_put(&seen, n->name, strlen(n->name)) - 1;
		if (of[i] < v->kernels_n)
			continue;
		list[v->kernels_n] =
			(struct view_call_kernel){ .id = side->ids[n->kernel],
				.is = &side->kernels[n->kernel] };
		names[v->kernels_n++] = n->name;
	}
	const char **distinct = distinct_names(a, names, v->kernels_n);
	for (uint32_t i = 0; i < v->kernels_n; i++)
		list[i].distinct = distinct[i];
	v->kernels = list;
	v->kernel_of = of;
}

json_t *call_tree_get(struct call *c, struct err *e)
{
	struct call_paths paths[CALL_TREE_SIDES];
	const struct call_paths *sides[] = { &paths[0], &paths[1] };
	struct view_call_tree v = { .arena = &c->s.arena,
		.run = c->id,
		.against = param(&c->params, "against")->whole };
	struct call_tree tree;
	struct run_row run, other;
	if (!listing_run(c, &run, e) ||
		!query_call_paths(c->s.db, v.arena, v.run, 0, &paths[0], e))
		return NULL;
	if (v.against &&
		(!project_scope_run(&c->s, v.against, e) ||
			!query_run(c->s.db, v.arena, v.against, &other, e) ||
			!query_call_paths(c->s.db, v.arena, v.against, 0,
				&paths[1], e)))
		return NULL;
	call_tree_from(&tree, v.arena, sides, v.against ? 2 : 1,
		call_tree_merges(c));
	call_tree_fold(&tree, v.arena, param(&c->params, "min_share_pct")->real,
		CALL_TREE_NODES);
	v.tree = &tree;
	call_tree_kernels(&v, paths);
	return view_call_tree(&v);
}

/* call_tree.c - merges call paths, adds up their launches, and folds small
 * nodes. */
#include "call_tree.h"
#include "frame_name.h"
#include "names.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <string.h>

struct call_tree_maker {
	struct arena *a;
	struct call_tree *t;
	uint32_t cap;
	bool merge;
	bool ignore_lines; /* of Python functions */
	struct names texts; /* of keys and of frames */
	struct names keys; /* struct call_tree_key; id = node */
	struct names members; /* struct call_tree_key of a node and a name */
};

/* It is hashed as bytes, so it has no padding. */
struct call_tree_key {
	uint32_t parent, kind, name;
};

static uint32_t call_tree_text(struct call_tree_maker *m, const char *name)
{
	return name ? names_put(&m->texts, name, strlen(name)) : 0;
}

/* The child of a kind with the name `key`. A new node is called `name`. */
static uint32_t call_tree_child(struct call_tree_maker *m, uint32_t parent,
	enum call_kind kind, const char *key, const char *name)
{
	struct call_tree_key k = { parent, kind, call_tree_text(m, key) };
	struct call_tree *t = m->t;
	/* Id 0 of the names is the empty text, and node 0 is the root. */
	uint32_t node = names_put(&m->keys, (const char *)&k, sizeof k);

	if (node < t->n)
		return node;
	if (t->n == m->cap) {
		m->cap *= 2;
		t->nodes = arena_grow(m->a, t->nodes,
			(size_t)m->cap * sizeof *t->nodes);
	}
	t->nodes[t->n++] = (struct call_node){ .parent = parent,
		.kind = kind,
		.name = name };
	return node;
}

/* Finds the place in "file(line): function": the length of the file, and where
 * the line begins, with its number of digits. */
static bool call_tree_place(const char *name, size_t *file, size_t *line,
	size_t *digits)
{
	for (const char *at = name; (at = strchr(at, '(')); at++) {
		size_t n = strspn(at + 1, "0123456789");
		if (n == 0 || strncmp(at + 1 + n, "): ", 3) != 0)
			continue;
		*file = (size_t)(at - name);
		*line = *file + 1;
		*digits = n;
		return at > name;
	}
	return false;
}

/* Counts the distinct names that are one node, which is called `common` if there
 * are several. */
static void call_tree_member(struct call_tree_maker *m, uint32_t node,
	const char *name, const char *common)
{
	struct call_tree_key k = { node, 0, call_tree_text(m, name) };
	struct call_node *n = &m->t->nodes[node];
	uint32_t before = m->members.n;

	names_put(&m->members, (const char *)&k, sizeof k);
	if (m->members.n == before)
		return;
	n->members++;
	if (n->members > 1 && common != name)
		n->name = common;
}

/* The name without its line: "model.py(12): forward" is "model.py: forward". */
static const char *call_tree_without_line(struct arena *a, const char *name)
{
	size_t file, line, digits;

	if (!call_tree_place(name, &file, &line, &digits))
		return name;
	return arena_printf(a, "%.*s%s", (int)file, name,
		name + line + digits + 1);
}

/* The node of each frame of a side. */
static uint32_t *call_tree_frames(struct call_tree_maker *m,
	const struct call_paths *p)
{
	uint32_t *node_of =
		arena_array(m->a, uint32_t, (size_t)p->frames_n + 1);

	for (uint32_t i = 1; i < p->frames_n; i++) {
		const struct frame *f = &p->frames[i];
		const char *common = f->name, *key;
		assert(f->parent < i);
		if (m->merge)
			common = frame_name_merged(m->a, f->kind, f->name);
		key = common;
		if (m->ignore_lines && f->kind == FRAME_PYTHON)
			key = call_tree_without_line(m->a, f->name);
		node_of[i] = call_tree_child(m, node_of[f->parent],
			(enum call_kind)f->kind, key, f->name);
		if (m->merge)
			call_tree_member(m, node_of[i], f->name, common);
		else
			m->t->nodes[node_of[i]].members = 1;
	}
	return node_of;
}

static void call_tree_callers(struct call_tree_maker *m,
	const struct call_paths *p, uint32_t side)
{
	const uint32_t *node_of = call_tree_frames(m, p);

	for (uint32_t i = 0; i < p->callers_n; i++) {
		const struct caller_stat *c = &p->callers[i];
		uint32_t parent = 0;
		if (c->known == CALLER_PATH)
			parent = node_of[c->frame];
		else
			parent = call_tree_child(m, 0,
				c->known == CALLER_NO_CALL ? CALL_NO_CALL
							   : CALL_NO_RANGE,
				NULL, NULL);
		uint32_t before = m->t->n;
		const char *name = p->kernels[c->kernel].name;
		uint32_t at =
			call_tree_child(m, parent, CALL_KERNEL, name, name);
		struct call_node *n = &m->t->nodes[at];
		if (m->t->n > before) {
			n->kernel = c->kernel;
			n->kernel_side = side;
			n->members = 1;
		}
		n->side[side].launches += c->launches;
		n->side[side].total_ns += c->total_ns;
		n->side[side].callers++;
	}
}

static void call_tree_sum(struct call_sum *to, const struct call_sum *from)
{
	for (uint32_t s = 0; s < CALL_TREE_SIDES; s++) {
		to[s].launches += from[s].launches;
		to[s].total_ns += from[s].total_ns;
		to[s].callers += from[s].callers;
	}
}

/* Only kernels have sums so far. Parents come before their children. */
static void call_tree_add_up(struct call_tree *t)
{
	for (uint32_t i = t->n; i-- > 1;)
		call_tree_sum(t->nodes[t->nodes[i].parent].side,
			t->nodes[i].side);
}

/* The part of a file's path that the profiler keeps: without the folder of
 * packages. */
static const char *call_tree_package(const char *name)
{
	static const char *const roots[] = { "site-packages/",
		"dist-packages/" };

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		const char *at = strstr(name, roots[i]);
		if (at)
			return at + strlen(roots[i]);
	}
	return name;
}

/* Whether the path is that of a module of the standard library. */
static bool call_tree_is_standard(const char *name)
{
	static const char lib[] = "lib/python3.";
	const char *at = strstr(name, lib);

	if (!at)
		return false;
	at += strlen(lib);
	return at[strspn(at, "0123456789")] == '/';
}

static bool call_tree_is_user(const char *name)
{
	static const char *const library[] = {
#define LIBRARY_CODE(name) name,
#include "library_code.def"
#undef LIBRARY_CODE
	};
	size_t file, line, digits;
	const char *path = call_tree_package(name);

	if (*name == '<' || !call_tree_place(name, &file, &line, &digits) ||
		(path == name && call_tree_is_standard(name)))
		return false;
	for (size_t i = 0; i < sizeof library / sizeof *library; i++) {
		size_t n = strlen(library[i]);
		if (!strncmp(path, library[i], n) &&
			(path[n] == '/' || !strncmp(path + n, ".py(", 4)))
			return false;
	}
	return true;
}

/* Marks the nearest user frame above each kernel. */
static void call_tree_mark_user(struct call_tree *t, struct arena *a)
{
	/* the nearest user frame of the node's path, 0: none */
	uint32_t *nearest = arena_array(a, uint32_t, t->n);

	for (uint32_t i = 1; i < t->n; i++) {
		struct call_node *n = &t->nodes[i];
		nearest[i] = nearest[n->parent];
		if (n->kind == CALL_PYTHON && call_tree_is_user(n->name))
			nearest[i] = i;
		if (n->kind == CALL_KERNEL && nearest[i])
			t->nodes[nearest[i]].user = true;
	}
}

static void call_tree_find_sources(struct call_tree *t, struct arena *a)
{
	size_t file, line, digits;

	for (uint32_t i = 1; i < t->n; i++) {
		struct call_node *n = &t->nodes[i];
		if (n->kind == CALL_PYTHON &&
			call_tree_place(n->name, &file, &line, &digits))
			n->source = arena_printf(a, "%.*s:%.*s", (int)file,
				n->name, (int)digits, n->name + line);
	}
}

void call_tree_from(struct call_tree *t, struct arena *a,
	const struct call_paths *const *sides, uint32_t sides_n, bool merge)
{
	struct call_tree_maker m = { .a = a,
		.t = t,
		.cap = 64,
		.merge = merge,
		.ignore_lines = sides_n > 1 };

	assert(sides_n >= 1 && sides_n <= CALL_TREE_SIDES);
	*t = (struct call_tree){ .n = 1 };
	t->nodes = arena_grow(a, NULL, m.cap * sizeof *t->nodes);
	t->nodes[0] = (struct call_node){ .kind = CALL_ROOT, .members = 1 };
	names_init(&m.texts, a);
	names_init(&m.keys, a);
	names_init(&m.members, a);
	for (uint32_t s = 0; s < sides_n; s++)
		call_tree_callers(&m, sides[s], s);
	call_tree_add_up(t);
	call_tree_mark_user(t, a);
	call_tree_find_sources(t, a);
}

/* The largest share that the node has of a side. */
static double call_tree_share(const struct call_tree *t, uint32_t node)
{
	double share = 0;

	for (uint32_t s = 0; s < CALL_TREE_SIDES; s++) {
		const struct call_sum *all = &t->nodes[0].side[s];
		const struct call_sum *n = &t->nodes[node].side[s];
		if (all->total_ns > 0)
			share = fmax(share,
				(double)n->total_ns / (double)all->total_ns);
		else if (all->launches > 0)
			share = fmax(share,
				(double)n->launches / (double)all->launches);
	}
	return share;
}

/* The least share of a node that stays. A child never has more than its parent,
 * so the parents of nodes that stay, stay. */
static double call_tree_limit(const double *share, uint32_t n, struct arena *a,
	double min, uint32_t max_nodes)
{
	if (n <= max_nodes)
		return min;
	double *order = arena_array(a, double, n);
	memcpy(order, share, n * sizeof *order);
	sort_double(order, n);
	/* All that equal the first one that is too many are removed. */
	double next = nextafter(order[n - max_nodes - 1], INFINITY);
	return fmax(min, next);
}

void call_tree_fold(struct call_tree *t, struct arena *a, double min_share_pct,
	uint32_t max_nodes)
{
	struct call_tree old = *t;
	double *share = arena_array(a, double, old.n);
	uint32_t *at = arena_array(a, uint32_t, old.n); /* its new index */
	uint32_t *other = arena_array(a, uint32_t, old.n); /* by new index */

	for (uint32_t i = 0; i < old.n; i++)
		share[i] = call_tree_share(&old, i);
	double min = call_tree_limit(share, old.n, a, min_share_pct / 100,
		max_nodes);
	t->min_share_pct = min * 100;
	t->nodes = arena_array(a, struct call_node, (size_t)old.n);
	t->nodes[0] = old.nodes[0];
	t->n = 1;
	for (uint32_t i = 1; i < old.n; i++) {
		const struct call_node *n = &old.nodes[i];
		uint32_t parent = at[n->parent];
		if (t->nodes[parent].kind == CALL_OTHER) {
			at[i] = parent;
			t->nodes[parent].members++;
		} else if (share[i] >= min) {
			at[i] = t->n;
			t->nodes[t->n] = *n;
			t->nodes[t->n++].parent = parent;
		} else {
			if (!other[parent]) {
				other[parent] = t->n;
				t->nodes[t->n++] =
					(struct call_node){ .parent = parent,
						.kind = CALL_OTHER };
			}
			at[i] = other[parent];
			t->nodes[at[i]].members++;
			call_tree_sum(t->nodes[at[i]].side, n->side);
		}
	}
}

int64_t call_tree_user_frame(const struct frame *path, uint32_t n)
{
	while (n-- > 0)
		if (path[n].kind == FRAME_PYTHON &&
			call_tree_is_user(path[n].name))
			return n;
	return -1;
}

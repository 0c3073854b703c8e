/* graph_choice.c - chooses, of the captures with the same kernels, those that a replay
 * may be of, and takes what all of them agree on. */
#include "graph_choice.h"
#include "graph_key.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPH_CHOICES_MOST = 256 };

/* Graphs of fewer kernels than this look the same in any program, so that only
 * captures of their own run are used for them. */
enum { GRAPH_SPECIFIC = 3 };

/* Shapes that are stored as text, each read once. */

static bool graph_choice_shape_init(struct graph_shapes *s,
	struct arena *shapes, struct arena *scratch)
{
	*s = (struct graph_shapes){ .arena = shapes };
	return names_init(&s->texts, scratch);
}

static bool graph_choice_shape_room(struct graph_shapes *s, uint32_t id)
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

static bool graph_choice_shape_read(struct graph_shapes *s,
	const struct graph_node_known *node, const struct shape **out)
{
	struct shape *shape = arena_new(s->arena, struct shape);
	struct err e = { 0 };

	if (!shape)
		return false;
	bool ok = shape_read(node->shape, node->dtype, s->arena, shape, &e);
	*out = ok ? shape : NULL;
	return ok || !s->arena->full;
}

/* *out is NULL if a node has no shape, or none that can be read. False if the
 * arena is full. */
static bool graph_choice_shape(struct graph_shapes *s,
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
	if (id == NAMES_NONE || !graph_choice_shape_room(s, id))
		return false;
	if (id == known && !graph_choice_shape_read(s, node, &s->shapes[id]))
		return false;
	*out = s->shapes[id];
	return true;
}

/* Which of several captures of the same kernels a step's replay is of.
 *
 * Piecewise graphs are captured once for each number of tokens, and differ only
 * in the sizes that grow with it. An engine replays the one with the least number
 * that holds the step's tokens. It is chosen only if it cannot be another: if one
 * was captured for exactly that many, or for the next less and the next more,
 * so that no unrecorded capture can be between these. */

enum { MEASURES_MOST = 8 };

/* What each graph was captured for, according to some of its nodes. */
struct graph_choice_measure {
	int64_t of[GRAPH_CHOICES_MOST];
	uint32_t nodes;
};

static bool graph_choice_same_layout(const struct shape *a,
	const struct shape *b)
{
	if (a->n != b->n || a->dtype != b->dtype)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->sizes[i].n != b->sizes[i].n ||
			strcmp(a->sizes[i].name, b->sizes[i].name) != 0)
			return false;
	return true;
}

/* Takes a number of each shape into the measure if they differ in it; false if
 * they differ in another one, too. */
static bool graph_choice_take(const struct shape *const *s, uint32_t n,
	uint32_t size, uint32_t value, struct graph_choice_measure *m,
	bool *differ)
{
	bool here = false, other = false;

	for (uint32_t i = 0; i < n; i++) {
		int64_t is = s[i]->sizes[size].values[value];
		here = here || is != s[0]->sizes[size].values[value];
		other = other || (*differ && is != m->of[i]);
	}
	for (uint32_t i = 0; here && !*differ && i < n; i++)
		m->of[i] = s[i]->sizes[size].values[value];
	if (here && *differ && other)
		return false;
	*differ = *differ || here;
	return true;
}

/* Whether shapes differ in a single number, at any position. */
static bool graph_choice_measure(const struct shape *const *s, uint32_t n,
	struct graph_choice_measure *m)
{
	bool differ = false;

	assert(n > 0);
	for (uint32_t i = 0; i < n; i++)
		if (!s[i] || !graph_choice_same_layout(s[0], s[i]))
			return false;
	for (uint32_t i = 0; i < s[0]->n; i++)
		for (uint32_t j = 0; j < s[0]->sizes[i].n; j++)
			if (!graph_choice_take(s, n, i, j, m, &differ))
				return false;
	return differ;
}

/* Counts a measure; more than MEASURES_MOST different ones are ignored. */
static void graph_choice_count(struct graph_choice_measure *all,
	uint32_t *all_n, const struct graph_choice_measure *m, uint32_t n)
{
	for (uint32_t i = 0; i < *all_n; i++)
		if (!memcmp(all[i].of, m->of, n * sizeof *m->of)) {
			all[i].nodes++;
			return;
		}
	if (*all_n < MEASURES_MOST) {
		all[*all_n] = *m;
		all[(*all_n)++].nodes = 1;
	}
}

/* Leaves those captured for the least number that holds the tokens. */
static void graph_choice_keep_smallest(const struct graph_choice_measure *m,
	const struct graph_known **list, uint32_t *n, int64_t tokens)
{
	int64_t holds = INT64_MAX;
	bool less = false;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		less = less || m->of[i] < tokens;
		if (m->of[i] >= tokens && m->of[i] < holds)
			holds = m->of[i];
	}
	if (holds == INT64_MAX || (holds != tokens && !less))
		return;
	for (uint32_t i = 0; i < *n; i++)
		if (m->of[i] == holds)
			list[kept++] = list[i];
	*n = kept;
}

static bool graph_choice_collect(struct graph_shapes *shapes,
	const struct graph_known *const *list, uint32_t n,
	struct graph_choice_measure *all, uint32_t *all_n)
{
	const struct shape *s[GRAPH_CHOICES_MOST];
	struct graph_choice_measure *m = &all[MEASURES_MOST];

	for (uint32_t node = 0; node < list[0]->n; node++) {
		for (uint32_t i = 0; i < n; i++)
			if (!graph_choice_shape(shapes, &list[i]->nodes[node],
				    &s[i]))
				return false;
		if (graph_choice_measure(s, n, m))
			graph_choice_count(all, all_n, m, n);
	}
	return true;
}

/* Leaves in `list` (graphs of the same kernels in the same order) those
 * captured for a step of that many tokens; all of them if that is unknown.
 * False if the arena is full. */
static bool graph_choice_keep_for_tokens(struct graph_shapes *shapes,
	const struct graph_known **list, uint32_t *n, int64_t tokens)
{
	struct arena *a = shapes->texts.arena;
	uint32_t all_n = 0, best = 0;

	if (*n < 2 || tokens <= 0)
		return true;
	struct graph_choice_measure *all =
		arena_grow(a, NULL, (MEASURES_MOST + 1) * sizeof *all);
	bool ok = all && graph_choice_collect(shapes, list, *n, all, &all_n);
	for (uint32_t i = 1; ok && i < all_n; i++)
		if (all[i].nodes > all[best].nodes ||
			(all[i].nodes == all[best].nodes &&
				all[i].of[0] < all[best].of[0]))
			best = i;
	if (ok && all_n)
		graph_choice_keep_smallest(&all[best], list, n, tokens);
	arena_drop(a, all);
	return ok;
}

/* Hashed as bytes, so it has no gaps. */
struct graph_choice_key {
	int64_t tokens, sequence;
};

struct graph_choice_candidates {
	const struct graph_known *list[GRAPH_CHOICES_MOST];
	uint32_t n;
	bool ordered; /* as the replay */
};

bool graph_choice_init(struct graph_choice_state *c,
	const struct attribution *x, struct arena *scratch)
{
	*c = (struct graph_choice_state){ .x = x, .arena = scratch };
	return graph_choice_shape_init(&c->shapes, x->arena, scratch) &&
	       names_init(&c->looked_up, scratch);
}

/* None if there are more than fit: those left out might differ. */
static void graph_choice_add(struct graph_choice_candidates *to,
	const struct graph_known *graphs, uint32_t graphs_n,
	const uint8_t key[32], uint32_t n)
{
	struct slice is = graph_find(graphs, graphs_n, key);

	if (is.to - is.from > GRAPH_CHOICES_MOST)
		return;
	for (uint32_t i = is.from; i < is.to; i++)
		if (graphs[i].n == n)
			to->list[to->n++] = &graphs[i];
}

static bool graph_choice_in_order(const struct graph_choice_state *c,
	const struct graph_known *g, const uint32_t *names, uint32_t n)
{
	if (g->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(g->nodes[i].kernel,
			    names_text(&c->x->trace->names, names[i])) != 0)
			return false;
	return true;
}

/* Those in the replay's order, if there are any. */
static void graph_choice_prefer_order(const struct graph_choice_state *c,
	struct graph_choice_candidates *of, const uint32_t *names, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < of->n; i++)
		if (graph_choice_in_order(c, of->list[i], names, n)) {
			const struct graph_known *swap = of->list[kept];
			of->list[kept++] = of->list[i];
			of->list[i] = swap;
		}
	of->ordered = kept > 0;
	if (kept)
		of->n = kept;
}

/* Whether candidates have their kernels in the same order as each other. */
static bool graph_choice_aligned(const struct graph_choice_candidates *of)
{
	const struct graph_known *first = of->list[0];

	for (uint32_t i = 1; !of->ordered && i < of->n; i++)
		for (uint32_t j = 0; j < first->n; j++)
			if (strcmp(first->nodes[j].kernel,
				    of->list[i]->nodes[j].kernel) != 0)
				return false;
	return true;
}

static bool graph_choice_find(struct graph_choice_state *c,
	const uint32_t *names, uint32_t n, int64_t tokens,
	struct graph_choice_candidates *of)
{
	const struct operators *own = &c->x->profile->operators;
	const struct graph_book *book = c->x->book;
	uint8_t key[32];
	uint32_t *sorted = arena_grow(c->arena, NULL, n * sizeof *sorted);

	if (!sorted)
		return false;
	memcpy(sorted, names, n * sizeof *sorted);
	graph_key(&c->x->trace->names, sorted, n, key);
	arena_drop(c->arena, sorted);
	graph_choice_add(of, own->learnt, own->learnt_n, key, n);
	if (!of->n && book && n >= GRAPH_SPECIFIC)
		graph_choice_add(of, book->graphs, book->n, key, n);
	if (!of->n)
		return true;
	graph_choice_prefer_order(c, of, names, n);
	return !graph_choice_aligned(of) ||
	       graph_choice_keep_for_tokens(&c->shapes, of->list, &of->n,
		       tokens);
}

/* Nodes or kernels by name, each name's in their order. */
struct graph_choice_sorting {
	const struct graph_known *graph; /* NULL: by names */
	const struct names *texts;
	const uint32_t *names;
};

static const char *graph_choice_name_at(const struct graph_choice_sorting *s,
	uint32_t i)
{
	return s->graph ? s->graph->nodes[i].kernel
			: names_text(s->texts, s->names[i]);
}

static int graph_choice_by_name(const void *left, const void *right,
	void *sorting)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int names = strcmp(graph_choice_name_at(sorting, a),
		graph_choice_name_at(sorting, b));

	return names ? names : (a > b) - (a < b);
}

static uint32_t *graph_choice_order(struct graph_choice_state *c,
	struct graph_choice_sorting *s, uint32_t n, bool as_is)
{
	uint32_t *out = arena_grow(c->arena, NULL, n * sizeof *out);

	for (uint32_t i = 0; out && i < n; i++)
		out[i] = i;
	if (out && !as_is)
		qsort_r(out, n, sizeof *out, graph_choice_by_name, s);
	return out;
}

static bool graph_choice_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* What the nodes of one name (of one place, if the order is known) agree on:
 * the first one's, without what differs in another. */
static struct graph_node_known
graph_choice_agreed(const struct graph_choice_candidates *of,
	uint32_t *const *orders, uint32_t from, uint32_t to, bool *differ)
{
	struct graph_node_known is = of->list[0]->nodes[orders[0][from]];

	for (uint32_t i = 0; i < of->n; i++)
		for (uint32_t j = from; j < to; j++) {
			const struct graph_node_known *n =
				&of->list[i]->nodes[orders[i][j]];
			if (!graph_choice_same_text(is.op, n->op))
				is.op = NULL;
			if (graph_choice_same_text(is.shape, n->shape) &&
				is.dtype == n->dtype)
				continue;
			is.shape = NULL;
			*differ = true;
		}
	return is;
}

static bool graph_choice_fill(struct graph_choice_state *c,
	const struct graph_choice_candidates *of, uint32_t *const *orders,
	const uint32_t *replay, const uint32_t *names, uint32_t n,
	struct graph_choice *out)
{
	struct graph_place *places =
		arena_array(c->arena, struct graph_place, n);
	const struct graph_known *first = of->list[0];

	if (!places)
		return false;
	for (uint32_t from = 0, to; from < n; from = to) {
		for (to = from + 1; !of->ordered && to < n; to++)
			if (names[replay[to]] != names[replay[from]])
				break;
		struct graph_place place = { 0 };
		struct graph_node_known is = graph_choice_agreed(of, orders,
			from, to, &place.differ);
		if (is.op)
			place.op = catalog_operator(c->x->catalog, is.op);
		if (place.op &&
			!graph_choice_shape(&c->shapes, &is, &place.sizes))
			return false;
		for (uint32_t i = from; i < to; i++) {
			place.call = first->nodes[orders[0][i]].call;
			places[replay[i]] = place;
			if (place.call >= out->calls)
				out->calls = place.call + 1;
		}
	}
	out->places = places;
	return true;
}

static bool graph_choice_make(struct graph_choice_state *c,
	const uint32_t *names, uint32_t n, int64_t tokens,
	struct graph_choice *out)
{
	struct graph_choice_candidates of = { .n = 0 };
	uint32_t *orders[GRAPH_CHOICES_MOST] = { NULL };
	struct graph_choice_sorting s = { NULL, &c->x->trace->names, names };

	*out = (struct graph_choice){ 0 };
	if (!graph_choice_find(c, names, n, tokens, &of) || !of.n)
		return !c->arena->full && !c->x->arena->full;
	uint32_t *replay = graph_choice_order(c, &s, n, of.ordered);
	bool ok = replay;
	for (uint32_t i = 0; ok && i < of.n; i++) {
		s.graph = of.list[i];
		ok = (orders[i] = graph_choice_order(c, &s, n, of.ordered));
	}
	ok = ok && graph_choice_fill(c, &of, orders, replay, names, n, out);
	arena_drop(c->arena, replay);
	for (uint32_t i = 0; i < of.n; i++)
		arena_drop(c->arena, orders[i]);
	return ok;
}

const struct graph_choice *graph_choice_of(struct graph_choice_state *c,
	uint32_t sequence, const uint32_t *names, uint32_t n, int64_t tokens)
{
	struct graph_choice_key key = { tokens, sequence };
	uint32_t known = c->looked_up.n;
	uint32_t id = names_put(&c->looked_up, (const char *)&key, sizeof key);

	if (id == NAMES_NONE)
		return NULL;
	if (id >= c->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(c->arena, c->choices,
			(size_t)cap * sizeof *c->choices);
		if (!grown)
			return NULL;
		c->choices = grown;
		c->cap = cap;
	}
	if (id == known &&
		!graph_choice_make(c, names, n, tokens, &c->choices[id]))
		return NULL;
	return &c->choices[id];
}

/* graph_choice.c - candidates by key, fewer by order and by tokens; then what
 * all that remain agree on. */
#include "graph_choice.h"
#include "graph_key.h"
#include "graph_tokens.h"
#include <stdlib.h>
#include <string.h>

/* Hashed as bytes, so it has no gaps. */
struct asked {
	int64_t tokens, sequence;
};

struct candidates {
	const struct graph_known *list[GRAPH_CHOICES_MOST];
	uint32_t n;
	bool ordered; /* as the replay */
};

bool graph_chooser_init(struct graph_chooser *c, const struct attribution *x,
	struct arena *scratch)
{
	*c = (struct graph_chooser){ .x = x, .arena = scratch };
	return graph_shapes_init(&c->shapes, x->arena, scratch) &&
	       names_init(&c->asked, scratch);
}

/* None where there are more than fit: those left out might differ. */
static void take(struct candidates *to, const struct graph_known *graphs,
	uint32_t graphs_n, const uint8_t key[32], uint32_t n)
{
	struct slice is = graph_find(graphs, graphs_n, key);

	if (is.to - is.from > GRAPH_CHOICES_MOST)
		return;
	for (uint32_t i = is.from; i < is.to; i++)
		if (graphs[i].n == n)
			to->list[to->n++] = &graphs[i];
}

static bool in_order(const struct graph_chooser *c, const struct graph_known *g,
	const uint32_t *names, uint32_t n)
{
	if (g->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(g->nodes[i].kernel,
			    names_text(&c->x->trace->names, names[i])) != 0)
			return false;
	return true;
}

/* Those in the replay's order, where there are any. */
static void prefer_order(const struct graph_chooser *c, struct candidates *of,
	const uint32_t *names, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < of->n; i++)
		if (in_order(c, of->list[i], names, n)) {
			const struct graph_known *swap = of->list[kept];
			of->list[kept++] = of->list[i];
			of->list[i] = swap;
		}
	of->ordered = kept > 0;
	if (kept)
		of->n = kept;
}

/* Whether candidates have their kernels in the same order as each other. */
static bool aligned(const struct candidates *of)
{
	const struct graph_known *first = of->list[0];

	for (uint32_t i = 1; !of->ordered && i < of->n; i++)
		for (uint32_t j = 0; j < first->n; j++)
			if (strcmp(first->nodes[j].kernel,
				    of->list[i]->nodes[j].kernel) != 0)
				return false;
	return true;
}

static bool find(struct graph_chooser *c, const uint32_t *names, uint32_t n,
	int64_t tokens, struct candidates *of)
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
	take(of, own->learnt, own->learnt_n, key, n);
	if (!of->n && book && n >= GRAPH_TELLS)
		take(of, book->graphs, book->n, key, n);
	if (!of->n)
		return true;
	prefer_order(c, of, names, n);
	return !aligned(of) ||
	       graph_tokens_keep(&c->shapes, of->list, &of->n, tokens);
}

/* Nodes or kernels by name, each name's in their order. */
struct sorting {
	const struct graph_known *graph; /* NULL: by names */
	const struct names *texts;
	const uint32_t *names;
};

static const char *name_at(const struct sorting *s, uint32_t i)
{
	return s->graph ? s->graph->nodes[i].kernel
			: names_text(s->texts, s->names[i]);
}

static int by_name(const void *left, const void *right, void *sorting)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int names = strcmp(name_at(sorting, a), name_at(sorting, b));

	return names ? names : (a > b) - (a < b);
}

static uint32_t *order(struct graph_chooser *c, struct sorting *s, uint32_t n,
	bool as_is)
{
	uint32_t *out = arena_grow(c->arena, NULL, n * sizeof *out);

	for (uint32_t i = 0; out && i < n; i++)
		out[i] = i;
	if (out && !as_is)
		qsort_r(out, n, sizeof *out, by_name, s);
	return out;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* What the nodes of one name (of one place, where the order tells) agree on:
 * the first one's, less what another has otherwise. */
static struct graph_node_known agreed(const struct candidates *of,
	uint32_t *const *orders, uint32_t from, uint32_t to, bool *differ)
{
	struct graph_node_known is = of->list[0]->nodes[orders[0][from]];

	for (uint32_t i = 0; i < of->n; i++)
		for (uint32_t j = from; j < to; j++) {
			const struct graph_node_known *n =
				&of->list[i]->nodes[orders[i][j]];
			if (!same_text(is.operator, n->operator))
				is.operator= NULL;
			if (same_text(is.shape, n->shape) &&
				is.dtype == n->dtype)
				continue;
			is.shape = NULL;
			*differ = true;
		}
	return is;
}

static bool fill(struct graph_chooser *c, const struct candidates *of,
	uint32_t *const *orders, const uint32_t *replay, const uint32_t *names,
	uint32_t n, struct graph_choice *out)
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
		struct graph_node_known is =
			agreed(of, orders, from, to, &place.differ);
		if (is.operator)
			place.operator=
				catalog_operator(c->x->catalog, is.operator);
		if (place.operator&& !graph_shapes_of(&c->shapes, &is,
			    &place.sizes))
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

static bool choose(struct graph_chooser *c, const uint32_t *names, uint32_t n,
	int64_t tokens, struct graph_choice *out)
{
	struct candidates of = { .n = 0 };
	uint32_t *orders[GRAPH_CHOICES_MOST] = { NULL };
	struct sorting s = { NULL, &c->x->trace->names, names };

	*out = (struct graph_choice){ 0 };
	if (!find(c, names, n, tokens, &of) || !of.n)
		return !c->arena->full && !c->x->arena->full;
	uint32_t *replay = order(c, &s, n, of.ordered);
	bool ok = replay;
	for (uint32_t i = 0; ok && i < of.n; i++) {
		s.graph = of.list[i];
		ok = (orders[i] = order(c, &s, n, of.ordered));
	}
	ok = ok && fill(c, &of, orders, replay, names, n, out);
	arena_drop(c->arena, replay);
	for (uint32_t i = 0; i < of.n; i++)
		arena_drop(c->arena, orders[i]);
	return ok;
}

const struct graph_choice *graph_choose(struct graph_chooser *c,
	uint32_t sequence, const uint32_t *names, uint32_t n, int64_t tokens)
{
	struct asked key = { tokens, sequence };
	uint32_t known = c->asked.n;
	uint32_t id = names_put(&c->asked, (const char *)&key, sizeof key);

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
	if (id == known && !choose(c, names, n, tokens, &c->choices[id]))
		return NULL;
	return &c->choices[id];
}

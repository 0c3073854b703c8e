/* graph_learn.c - nodes of each capture, kept once however often captured. */
#include "graph_learn.h"
#include "graph_key.h"
#include "graph_replay.h"
#include <stdlib.h>
#include <string.h>

struct learner {
	const struct attribution *x;
	struct arena *arena;
	struct names shapes; /* pointers to shapes, as bytes */
	const char **texts; /* of each; by id */
	uint32_t texts_cap;
	/* Of one capture. */
	struct graph_node_known *nodes;
	uint32_t *names;
	uint32_t n, calls, capture;
	/* By call of the attribution: the capture it was last in, from 1, and
	 * its number there. */
	uint32_t *call_in, *call_is;
	struct names seen; /* keys and contents */
	struct graph_known *learnt;
	uint32_t learnt_n, learnt_cap;
};

/* The text of a shape; launches of one kind share theirs. NULL where the arena
 * is full. */
static const char *text_of(struct learner *l, const struct shape *s)
{
	uint32_t known = l->shapes.n;
	uint32_t id = names_put(&l->shapes, (const char *)&s, sizeof s);

	if (id == NAMES_NONE)
		return NULL;
	if (id >= l->texts_cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(l->arena, l->texts,
			(size_t)cap * sizeof *l->texts);
		if (!grown)
			return NULL;
		l->texts = grown;
		l->texts_cap = cap;
	}
	if (id == known)
		l->texts[id] = shape_text(s, l->x->arena);
	return l->texts[id];
}

/* Calls counted from 0 as they come; one that is not known is its own. */
static uint32_t number_of(struct learner *l, uint32_t call)
{
	if (call == LAUNCH_NO_CALL)
		return l->calls++;
	if (l->call_in[call] != l->capture) {
		l->call_in[call] = l->capture;
		l->call_is[call] = l->calls++;
	}
	return l->call_is[call];
}

static bool node(struct learner *l, uint32_t i)
{
	const struct attribution *x = l->x;
	const struct attributed *is = &x->of_captured[i];
	uint32_t name = x->trace->call.kernel[x->captured[i]];
	const char *kernel = names_text(&x->trace->names, name);

	if (graph_replay_own(kernel))
		return true;
	struct graph_node_known *to = &l->nodes[l->n];
	*to = (struct graph_node_known){
		.kernel = kernel,
		.call = number_of(l, is->operator? is->call : LAUNCH_NO_CALL),
	};
	l->names[l->n++] = name;
	if (is->operator)
		to->operator= is->operator->name;
	if (!is->operator|| !is->sizes)
		return true;
	to->dtype = is->sizes->dtype;
	return (to->shape = text_of(l, is->sizes));
}

/* Keeps the capture's nodes, unless the same are there. */
static bool keep(struct learner *l)
{
	struct arena *a = l->x->arena;
	struct graph_known g = { .n = l->n };
	uint32_t known = l->seen.n;
	uint8_t both[64];

	if (l->n == 0)
		return true;
	graph_key(&l->x->trace->names, l->names, l->n, g.key);
	graph_content(l->nodes, l->n, g.content);
	memcpy(both, g.key, 32);
	memcpy(both + 32, g.content, 32);
	uint32_t id = names_put(&l->seen, (const char *)both, sizeof both);
	if (id != known)
		return id != NAMES_NONE;
	struct graph_node_known *nodes =
		arena_array(a, struct graph_node_known, l->n);
	if (!nodes)
		return false;
	memcpy(nodes, l->nodes, l->n * sizeof *nodes);
	g.nodes = nodes;
	if (l->learnt_n == l->learnt_cap) {
		uint32_t cap = l->learnt_cap * 2 + 16;
		void *grown = arena_grow(a, l->learnt, cap * sizeof *l->learnt);
		if (!grown)
			return false;
		l->learnt = grown;
		l->learnt_cap = cap;
	}
	l->learnt[l->learnt_n++] = g;
	return true;
}

static int by_key(const void *left, const void *right)
{
	return graph_compare(left, right);
}

/* Places of the captured launches, capture by capture, each in order. */
static void deal(const struct attribution *x, uint32_t *from, uint32_t *places)
{
	for (uint32_t i = 0; i < x->captured_n; i++)
		from[x->capture_of[i] + 2]++;
	for (uint32_t i = 1; i < x->captures_n; i++)
		from[i + 1] += from[i];
	for (uint32_t i = 0; i < x->captured_n; i++)
		places[from[x->capture_of[i] + 1]++] = i;
}

static bool init(struct learner *l)
{
	struct arena *a = l->arena;
	size_t launches = (size_t)l->x->captured_n + 1;
	size_t calls = (size_t)l->x->calls + 1;

	l->nodes = arena_grow(a, NULL, launches * sizeof *l->nodes);
	l->names = arena_grow(a, NULL, launches * sizeof *l->names);
	l->call_in = arena_grow(a, NULL, calls * sizeof *l->call_in);
	l->call_is = arena_grow(a, NULL, calls * sizeof *l->call_is);
	return l->nodes && l->names && l->call_in && l->call_is &&
	       names_init(&l->shapes, a) && names_init(&l->seen, a);
}

static bool learn(struct learner *l)
{
	const struct attribution *x = l->x;
	uint32_t *from = arena_grow(l->arena, NULL,
		((size_t)x->captures_n + 2) * sizeof *from);
	uint32_t *places = arena_grow(l->arena, NULL,
		((size_t)x->captured_n + 1) * sizeof *places);

	if (!from || !places || !init(l))
		return false;
	deal(x, from, places);
	for (uint32_t i = 0; i < x->captures_n; i++) {
		l->n = l->calls = 0;
		l->capture = i + 1;
		for (uint32_t j = from[i]; j < from[i + 1]; j++)
			if (!node(l, places[j]))
				return false;
		if (!keep(l))
			return false;
	}
	return true;
}

bool graph_learn(const struct attribution *x)
{
	struct operators *to = &x->profile->operators;
	struct arena scratch = arena_scratch(x->arena);
	struct learner l = { .x = x, .arena = &scratch };

	bool ok = learn(&l);
	if (ok && l.learnt_n)
		qsort(l.learnt, l.learnt_n, sizeof *l.learnt, by_key);
	to->learnt = l.learnt;
	to->learnt_n = l.learnt_n;
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

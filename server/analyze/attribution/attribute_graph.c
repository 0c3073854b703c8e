/* attribute_graph.c - attributes kernels by their position in a CUDA graph.
 *
 * A stream capture contains launches with kernel names, operators and dims, but
 * runs no kernels. A replay contains kernels, but only one API call for all of
 * them. Both have the same kernel names in the same order, so they can be
 * joined. graph_capture.h says which captures are used.
 *
 * A replay consists of all kernels that one graph launch caused, in order of
 * start. It does not include the runtime's own kernels (copies and sets that
 * run as kernels). A replay may match several captures with its kernel names.
 * They are reduced in these steps:
 *
 *   1. Captures of this run are preferred to those of other runs.
 *   2. Captures in the replay's order are preferred. Other orders are possible
 *      because the streams of a graph may overtake each other.
 *   3. The serving step around the launch may decide. Shapes grow with the
 *      number of tokens for which a graph was captured, and engines replay the
 *      graph with the least number that is enough for the step.
 *   4. If several remain, only the facts on which all of them agree are
 *      used.
 *
 * If no capture has exactly the replay's kernels, records may be lost. Then the
 * captures that differ from the replay by the fewest kernels are used, if these
 * are few (graph_align.c). Kernels without a partner stay unattributed, as do
 * those whose partner depends on which alignment is right. An operator call
 * that may lack a kernel has no sizes, because its time is too short. A capture
 * that has another kernel in the place of a replayed one is probably one for
 * another batch size: it gives no sizes. */
#include "attribute_sources.h"
#include "attribute.h"
#include "correlation.h"
#include "graph_capture.h"
#include "ids.h"
#include "names.h"
#include "operators.h"
#include "serving_steps.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replays: the kernels that one graph launch caused have its correlation. If
 * the trace does not contain the API call, kernels belong to a replay if they
 * share a correlation, or if a kernel names its graph node. */

struct graph_replays {
	uint32_t *kernel; /* by replay, then start: kernel row of the process,
		from 0 */
	uint32_t *from; /* replay r is kernel[from[r]]…kernel[from[r + 1]] */
	uint32_t *call; /* by replay: the API call, or CORRELATION_NONE */
	uint32_t *sequence; /* by replay: id in `sequences` */
	struct names sequences; /* names of kernels in order, as uint32_t */
	uint32_t n;
};

struct graph_replay_finder {
	const struct trace *t;
	const struct process *proc;
	const uint32_t *call_of;
	struct arena *arena;
	struct graph_replays *out;
	uint8_t *looked_up; /* by name of the trace, bits: 1 launches a graph, 2
		does not; 4 is a kernel of the runtime, 8 is not */
	uint32_t *names; /* of one replay */
};

static bool attribute_graph_replay_launches_graph(struct graph_replay_finder *f,
	uint32_t call)
{
	uint32_t name = f->t->call.name[call];

	if (!(f->looked_up[name] & 3))
		f->looked_up[name] |=
			strstr(names_text(&f->t->names, name), "GraphLaunch")
				? 1
				: 2;
	return f->looked_up[name] & 1;
}

static bool attribute_graph_replay_runtimes_own(struct graph_replay_finder *f,
	uint32_t name)
{
	if (!(f->looked_up[name] & 12))
		f->looked_up[name] |= graph_capture_is_runtime_kernel(
					      names_text(&f->t->names, name))
					      ? 4
					      : 8;
	return f->looked_up[name] & 4;
}

/* Whether the rows, which have the same correlation and API call, are a
 * replay. */
static bool attribute_graph_replay_replayed(struct graph_replay_finder *f,
	const uint32_t *rows, uint32_t n)
{
	uint32_t call = f->call_of[rows[0] - f->proc->kernel.from];

	if (call != CORRELATION_NONE)
		return attribute_graph_replay_launches_graph(f, call);
	return n > 1 || f->t->kernel.graph_node[rows[0]] > 0;
}

static bool attribute_graph_replay_add(struct graph_replay_finder *f,
	const uint32_t *rows, uint32_t n)
{
	struct graph_replays *out = f->out;
	uint32_t first = out->from[out->n], kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t name = f->t->kernel.name[rows[i]];
		if (attribute_graph_replay_runtimes_own(f, name))
			continue;
		out->kernel[first + kept] = rows[i] - f->proc->kernel.from;
		f->names[kept++] = name;
	}
	if (kept == 0)
		return true;
	out->call[out->n] = f->call_of[rows[0] - f->proc->kernel.from];
	out->sequence[out->n] = names_put(&out->sequences,
		(const char *)f->names, kept * sizeof *f->names);
	out->from[++out->n] = first + kept;
	return out->sequence[out->n - 1] != NAMES_NONE;
}

static uint32_t attribute_graph_replay_same_until(
	const struct graph_replay_finder *f, const struct ids *x, uint32_t from)
{
	uint32_t first = f->proc->kernel.from, to = from + 1;

	while (to < x->n && x->id[to] == x->id[from] &&
		f->call_of[x->row[to] - first] ==
			f->call_of[x->row[from] - first])
		to++;
	return to;
}

static bool attribute_graph_replay_init(struct graph_replay_finder *f,
	uint32_t n)
{
	struct graph_replays *out = f->out;
	struct arena *a = f->arena;
	size_t room = ((size_t)n + 2) * sizeof(uint32_t);

	f->looked_up = arena_grow(a, NULL, f->t->names.n);
	f->names = arena_grow(a, NULL, room);
	out->kernel = arena_grow(a, NULL, room);
	out->from = arena_grow(a, NULL, room);
	out->call = arena_grow(a, NULL, room);
	out->sequence = arena_grow(a, NULL, room);
	return f->looked_up && f->names && out->kernel && out->from &&
	       out->call && out->sequence && names_init(&out->sequences, a);
}

/* Finds the replays of a process. `call_of` is from correlation.h. False if the
 * arena is full. */
static bool attribute_graph_find_replays(const struct trace *t,
	const struct process *proc, const uint32_t *call_of, struct arena *a,
	struct graph_replays *out)
{
	struct graph_replay_finder f = { t, proc, call_of, a, out, NULL, NULL };
	struct ids x;

	*out = (struct graph_replays){ 0 };
	bool ok = ids_from(&x, a, t->kernel.correlation, proc->kernel);
	ok = ok && attribute_graph_replay_init(&f, x.n);
	for (uint32_t i = 0, to; ok && i < x.n; i = to) {
		to = attribute_graph_replay_same_until(&f, &x, i);
		if (attribute_graph_replay_replayed(&f, x.row + i, to - i))
			ok = attribute_graph_replay_add(&f, x.row + i, to - i);
	}
	ids_release(&x, a);
	arena_drop(a, f.looked_up);
	arena_drop(a, f.names);
	return ok;
}

/* Choices: selects the captures that a replay may be a replay of, and finds the
 * facts on which all of them agree. */

struct graph_shapes {
	struct arena *arena; /* for the shapes */
	struct names
		texts; /* texts of shapes, each after a byte for its dtype */
	const struct shape **shapes; /* by id; NULL: not readable */
	uint32_t cap;
};

struct graph_place {
	const struct operator_info *op; /* NULL unknown */
	const struct shape *sizes; /* NULL unknown */
	uint32_t call; /* from 0 in each replay */
	bool matched; /* it is a kernel of the capture */
	bool differ; /* sizes are left out because captures differ */
	bool unclear; /* the operator is left out because captures, or the
		kernels of one capture that it may be, differ */
	bool unsure; /* sizes are left out because of the unmatched kernels */
};

struct graph_choice {
	const struct graph_place *places; /* by kernel; NULL: no capture */
	uint32_t calls;
	uint32_t captures; /* number of captures that fit equally well */
	uint32_t captured, matched; /* kernels of one of them; those of the
		replay among them */
	enum graph_source source;
	int64_t upload; /* of GRAPH_SOURCE_OTHER */
	bool skipped; /* captures that differ were not compared */
	bool many; /* more captures match equally well than are compared */
};

struct graph_choice_state {
	const struct attribution *x;
	struct arena *arena; /* scratch; the shapes are x->arena's */
	struct graph_shapes shapes;
	struct names looked_up; /* struct graph_choice_key */
	struct graph_choice *choices; /* by id */
	uint32_t cap;
	uint32_t **ids; /* by graph of this run, then of the book: its kernels'
		names as ids of the trace; NULL: not looked up yet */
	uint64_t steps; /* kernels compared so far */
};

enum { GRAPH_CHOICES_MOST = 256 };

/* Graphs of fewer kernels than this can have equal kernel names in unrelated
 * programs. Only captures of the same run are used for them. */
enum { GRAPH_SPECIFIC = 3 };

/* Limits the time for captures that differ from replays, to about a second: of
 * captures of 3,000 kernels, one kernel took 0.7 ns of graph_distance(), one
 * cell 39 ns of graph_align(). */
static const uint64_t graph_steps_max = UINT64_C(1) << 30;
enum { GRAPH_CELL_STEPS = 40 };

/* Shapes are stored as text; each text is parsed once. */

static bool attribute_graph_choice_shape_init(struct graph_shapes *s,
	struct arena *shapes, struct arena *scratch)
{
	*s = (struct graph_shapes){ .arena = shapes };
	return names_init(&s->texts, scratch);
}

static bool attribute_graph_choice_shape_room(struct graph_shapes *s,
	uint32_t id)
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

static bool attribute_graph_choice_shape_read(struct graph_shapes *s,
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

/* Reads the shape of a node. *out is NULL if the node has no shape or if its
 * text cannot be parsed. False if the arena is full. */
static bool attribute_graph_choice_shape(struct graph_shapes *s,
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
	if (id == NAMES_NONE || !attribute_graph_choice_shape_room(s, id))
		return false;
	if (id == known &&
		!attribute_graph_choice_shape_read(s, node, &s->shapes[id]))
		return false;
	*out = s->shapes[id];
	return true;
}

/* Chooses among several captures of the same kernels by the tokens of the step.
 *
 * Piecewise graphs are captured once for each of several numbers of tokens.
 * They differ only in the sizes that grow with this number. An engine replays
 * the graph with the least number that is at least the step's tokens. That
 * capture is chosen only if its number equals the step's tokens, or if there is
 * also a capture with fewer tokens than the step. Otherwise the right capture
 * may be a smaller one that is missing. */

enum { MEASURES_MOST = 8 };

/* The number of tokens for which each graph was captured, according to some of
 * its nodes. */
struct graph_choice_measure {
	int64_t of[GRAPH_CHOICES_MOST];
	uint32_t nodes;
};

static bool attribute_graph_choice_same_layout(const struct shape *a,
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

/* Compares one value of all shapes. If the shapes differ in it, it becomes the
 * measure. False if they already differ in another value, unless both values
 * are equal in every shape. */
static bool attribute_graph_choice_take(const struct shape *const *s,
	uint32_t n, uint32_t size, uint32_t value,
	struct graph_choice_measure *m, bool *differ)
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

/* Whether the shapes differ in one number only, which may occur at several
 * positions. Stores that number in the measure. */
static bool attribute_graph_choice_measure(const struct shape *const *s,
	uint32_t n, struct graph_choice_measure *m)
{
	bool differ = false;

	assert(n > 0);
	for (uint32_t i = 0; i < n; i++)
		if (!s[i] || !attribute_graph_choice_same_layout(s[0], s[i]))
			return false;
	for (uint32_t i = 0; i < s[0]->n; i++)
		for (uint32_t j = 0; j < s[0]->sizes[i].n; j++)
			if (!attribute_graph_choice_take(s, n, i, j, m,
				    &differ))
				return false;
	return differ;
}

/* Counts the nodes of a measure. Only MEASURES_MOST different measures are
 * counted. */
static void attribute_graph_choice_count(struct graph_choice_measure *all,
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

/* Keeps the captures with the least number that is at least `tokens`. */
static void
attribute_graph_choice_keep_smallest(const struct graph_choice_measure *m,
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

static bool attribute_graph_choice_collect(struct graph_shapes *shapes,
	const struct graph_known *const *list, uint32_t n,
	struct graph_choice_measure *all, uint32_t *all_n)
{
	const struct shape *s[GRAPH_CHOICES_MOST];
	struct graph_choice_measure *m = &all[MEASURES_MOST];

	for (uint32_t node = 0; node < list[0]->n; node++) {
		for (uint32_t i = 0; i < n; i++)
			if (!attribute_graph_choice_shape(shapes,
				    &list[i]->nodes[node], &s[i]))
				return false;
		if (attribute_graph_choice_measure(s, n, m))
			attribute_graph_choice_count(all, all_n, m, n);
	}
	return true;
}

/* Keeps in `list` the graphs that an engine replays for this number of tokens.
 * If that is unknown, the list does not change. The graphs have the same
 * kernels in the same order. False if the arena is full. */
static bool attribute_graph_choice_keep_for_tokens(struct graph_shapes *shapes,
	const struct graph_known **list, uint32_t *n, int64_t tokens)
{
	struct arena *a = shapes->texts.arena;
	uint32_t all_n = 0, best = 0;

	if (*n < 2 || tokens <= 0)
		return true;
	struct graph_choice_measure *all =
		arena_grow(a, NULL, (MEASURES_MOST + 1) * sizeof *all);
	bool ok = all &&
		  attribute_graph_choice_collect(shapes, list, *n, all, &all_n);
	for (uint32_t i = 1; ok && i < all_n; i++)
		if (all[i].nodes > all[best].nodes ||
			(all[i].nodes == all[best].nodes &&
				all[i].of[0] < all[best].of[0]))
			best = i;
	if (ok && all_n)
		attribute_graph_choice_keep_smallest(&all[best], list, n,
			tokens);
	arena_drop(a, all);
	return ok;
}

/* The key of a choice. It is hashed as bytes, so it has no padding. */
struct graph_choice_key {
	int64_t tokens, sequence;
};

struct graph_choice_candidates {
	const struct graph_known *list[GRAPH_CHOICES_MOST];
	uint32_t n;
	bool ordered; /* kernels are in the order of the replay */
	uint32_t distance; /* 0: they have exactly the replay's kernels */
	bool skipped, many;
};

static bool attribute_graph_choice_init(struct graph_choice_state *c,
	const struct attribution *x, struct arena *scratch)
{
	size_t graphs = (size_t)x->profile->operators.learned_n +
			(x->book ? x->book->n : 0) + 1;

	*c = (struct graph_choice_state){ .x = x, .arena = scratch };
	c->ids = arena_grow(scratch, NULL, graphs * sizeof *c->ids);
	return c->ids &&
	       attribute_graph_choice_shape_init(&c->shapes, x->arena,
		       scratch) &&
	       names_init(&c->looked_up, scratch);
}

/* Finds the graphs with a key among graphs that are sorted by key. */
static struct slice attribute_graph_choice_find_key(const struct graph_known
							    *graphs,
	uint32_t n, const uint8_t key[32])
{
	uint32_t from = 0, to = n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (memcmp(graphs[middle].key, key, 32) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	while (to < n && memcmp(graphs[to].key, key, 32) == 0)
		to++;
	return (struct slice){ from, to };
}

/* Adds graphs to the candidates. If they do not all fit, there are no
 * candidates, because the graphs that are left out might differ. */
static void attribute_graph_choice_add(struct graph_choice_candidates *to,
	const struct graph_known *graphs, uint32_t graphs_n,
	const uint8_t key[32], uint32_t n)
{
	struct slice is =
		attribute_graph_choice_find_key(graphs, graphs_n, key);

	if (is.to - is.from > GRAPH_CHOICES_MOST) {
		to->many = true;
		return;
	}
	for (uint32_t i = is.from; i < is.to; i++)
		if (graphs[i].n == n)
			to->list[to->n++] = &graphs[i];
}

static bool attribute_graph_choice_in_order(const struct graph_choice_state *c,
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

/* Keeps the candidates in the replay's order, if there are any. */
static void attribute_graph_choice_prefer_order(const struct graph_choice_state
							*c,
	struct graph_choice_candidates *of, const uint32_t *names, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < of->n; i++)
		if (attribute_graph_choice_in_order(c, of->list[i], names, n)) {
			const struct graph_known *swap = of->list[kept];
			of->list[kept++] = of->list[i];
			of->list[i] = swap;
		}
	of->ordered = kept > 0;
	if (kept)
		of->n = kept;
}

/* Whether all candidates have their kernels in the same order. */
static bool attribute_graph_choice_aligned(
	const struct graph_choice_candidates *of)
{
	const struct graph_known *first = of->list[0];

	if (of->ordered && !of->distance)
		return true;
	for (uint32_t i = 1; i < of->n; i++) {
		if (of->list[i]->n != first->n)
			return false;
		for (uint32_t j = 0; j < first->n; j++)
			if (strcmp(first->nodes[j].kernel,
				    of->list[i]->nodes[j].kernel) != 0)
				return false;
	}
	return true;
}

/* Adds the graphs that have exactly the replay's kernels. */
static bool attribute_graph_choice_exact(struct graph_choice_state *c,
	const uint32_t *names, uint32_t n, uint8_t key[32],
	struct graph_choice_candidates *of)
{
	const struct operators *own = &c->x->profile->operators;
	const struct graph_book *book = c->x->book;
	uint32_t *sorted = arena_grow(c->arena, NULL, n * sizeof *sorted);

	if (!sorted)
		return false;
	memcpy(sorted, names, n * sizeof *sorted);
	graph_capture_key(&c->x->trace->names, sorted, n, key);
	arena_drop(c->arena, sorted);
	attribute_graph_choice_add(of, own->learned, own->learned_n, key, n);
	if (!of->n && book && n >= GRAPH_SPECIFIC)
		attribute_graph_choice_add(of, book->graphs, book->n, key, n);
	if (of->n)
		attribute_graph_choice_prefer_order(c, of, names, n);
	return true;
}

/* The names of a graph's kernels as ids of the trace. `number` counts the
 * graphs of this run and of the book. NULL if the arena is full. */
static const uint32_t *attribute_graph_near_ids(struct graph_choice_state *c,
	const struct graph_known *g, uint32_t number)
{
	uint32_t *ids = c->ids[number];

	if (ids)
		return ids;
	ids = arena_grow(c->arena, NULL, ((size_t)g->n + 1) * sizeof *ids);
	for (uint32_t i = 0; ids && i < g->n; i++)
		ids[i] = names_find(&c->x->trace->names, g->nodes[i].kernel,
			strlen(g->nodes[i].kernel));
	return c->ids[number] = ids;
}

struct graph_near {
	struct graph_choice_state *c;
	const uint32_t *names; /* of the replay */
	uint32_t n;
	struct graph_choice_candidates *of;
	const uint32_t *ids[GRAPH_CHOICES_MOST]; /* parallel to of->list */
	uint32_t own; /* distance of the nearest graph of this run, once all of
		them are compared, then also of those given with it; 0: none */
};

/* The largest distance at which a graph becomes a candidate; 0: at none. A graph
 * that was given with the run must be nearer than those of the run, and one of
 * another upload must be nearer than both. */
static uint32_t attribute_graph_near_max(const struct graph_near *w,
	const struct graph_known *g)
{
	uint32_t max = graph_distance_max(g->n), best = w->of->distance;
	uint32_t by_count = g->n > w->n ? g->n - w->n : w->n - g->n;

	if (best && max > best)
		max = best;
	if (w->own && max >= w->own)
		max = w->own - 1;
	return by_count <= max ? max : 0;
}

static void attribute_graph_near_keep(struct graph_near *w,
	const struct graph_known *g, const uint32_t *ids, uint32_t distance)
{
	struct graph_choice_candidates *of = w->of;

	if (distance != of->distance) {
		of->n = 0;
		of->many = false;
	}
	of->distance = distance;
	of->many = of->many || of->n == GRAPH_CHOICES_MOST;
	if (of->many)
		return;
	w->ids[of->n] = ids;
	of->list[of->n++] = g;
}

/* Adds the graphs that differ from the replay by the fewest kernels, of those
 * that this upload recorded or of the others. `from` is the number of the first
 * graph. */
static bool attribute_graph_near_look(struct graph_near *w,
	const struct graph_known *graphs, uint32_t n, uint32_t from,
	bool others)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct graph_known *g = &graphs[i];
		uint32_t max = attribute_graph_near_max(w, g);
		if (!max || (g->upload != 0) != others)
			continue;
		if (w->c->steps > graph_steps_max) {
			w->of->skipped = true;
			return true;
		}
		w->c->steps += g->n + w->n;
		const uint32_t *ids =
			attribute_graph_near_ids(w->c, g, from + i);
		if (!ids)
			return false;
		const struct graph_sides s = { ids, w->names, g->n, w->n };
		uint32_t distance = graph_distance(&s, max);
		if (distance != GRAPH_DISTANCE_FAR)
			attribute_graph_near_keep(w, g, ids, distance);
	}
	return true;
}

static int attribute_graph_cut_by_key(const void *key, const void *cut)
{
	const struct graph_cut *c = cut;

	return memcmp(key, c->key, sizeof c->key);
}

/* Whether a graph that the book lacks may match as well as the candidates do,
 * or better. A graph of another upload must be nearer than one of this upload,
 * whose distance is w->own. */
static bool attribute_graph_near_cut(const struct graph_near *w,
	const uint8_t key[32])
{
	const struct graph_book *book = w->c->x->book;
	const struct graph_cut *cut = NULL;
	uint32_t distance = w->of->distance;

	if (book && book->cuts_n)
		cut = bsearch(key, book->cuts, book->cuts_n, sizeof *book->cuts,
			attribute_graph_cut_by_key);
	if (!cut)
		return false;
	return !w->of->n || cut->distance < distance ||
	       (cut->distance == distance && distance != w->own);
}

static bool attribute_graph_near_find(struct graph_near *w,
	const uint8_t key[32])
{
	const struct operators *own = &w->c->x->profile->operators;
	const struct graph_book *book = w->c->x->book;

	w->of->ordered = true;
	bool ok = attribute_graph_near_look(w, own->learned, own->learned_n, 0,
		false);
	w->own = w->of->distance;
	if (ok && book)
		ok = attribute_graph_near_look(w, book->graphs, book->n,
			own->learned_n, false);
	w->own = w->of->distance;
	if (ok && book)
		ok = attribute_graph_near_look(w, book->graphs, book->n,
			own->learned_n, true);
	w->of->skipped = w->of->skipped || attribute_graph_near_cut(w, key);
	if (w->of->many || w->of->skipped)
		w->of->n = 0;
	return ok;
}

/* Sorts nodes or kernels by name, and those of one name by their order. */
struct graph_choice_sorting {
	const struct graph_known *graph; /* NULL: by names */
	const struct names *texts;
	const uint32_t *names;
};

static const char *
attribute_graph_choice_name_at(const struct graph_choice_sorting *s, uint32_t i)
{
	return s->graph ? s->graph->nodes[i].kernel
			: names_text(s->texts, s->names[i]);
}

static int attribute_graph_choice_by_name(const void *left, const void *right,
	void *sorting)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int names = strcmp(attribute_graph_choice_name_at(sorting, a),
		attribute_graph_choice_name_at(sorting, b));

	return names ? names : (a > b) - (a < b);
}

static uint32_t *attribute_graph_choice_order(struct graph_choice_state *c,
	struct graph_choice_sorting *s, uint32_t n, bool as_is)
{
	uint32_t *out = arena_grow(c->arena, NULL, n * sizeof *out);

	for (uint32_t i = 0; out && i < n; i++)
		out[i] = i;
	if (out && !as_is)
		qsort_r(out, n, sizeof *out, attribute_graph_choice_by_name, s);
	return out;
}

static bool attribute_graph_choice_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Deletes the facts that differ in another node. */
static void attribute_graph_choice_agree(struct graph_node_known *is,
	const struct graph_node_known *n, struct graph_place *place)
{
	if (!attribute_graph_choice_same_text(is->op, n->op)) {
		is->op = NULL;
		place->unclear = true;
	}
	if (attribute_graph_choice_same_text(is->shape, n->shape) &&
		is->dtype == n->dtype)
		return;
	is->shape = NULL;
	place->differ = true;
}

/* Returns the facts on which all candidates agree for one kernel name or, if
 * the order is known, for one position. It is the first node without the fields
 * that differ in another node. */
static struct graph_node_known attribute_graph_choice_agreed(
	const struct graph_choice_candidates *of, uint32_t *const *orders,
	uint32_t from, uint32_t to, struct graph_place *place)
{
	assert(of->n && orders[0]);
	struct graph_node_known is = of->list[0]->nodes[orders[0][from]];

	for (uint32_t i = 0; i < of->n; i++)
		for (uint32_t j = from; j < to; j++)
			attribute_graph_choice_agree(&is,
				&of->list[i]->nodes[orders[i][j]], place);
	return is;
}

static bool attribute_graph_choice_fill(struct graph_choice_state *c,
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
		struct graph_place place = { .matched = true };
		struct graph_node_known is = attribute_graph_choice_agreed(of,
			orders, from, to, &place);
		if (is.op)
			place.op = catalog_operator(c->x->catalog, is.op);
		if (place.op && !attribute_graph_choice_shape(&c->shapes, &is,
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

static bool attribute_graph_choice_make_exact(struct graph_choice_state *c,
	const struct graph_choice_candidates *of, const uint32_t *names,
	uint32_t n, struct graph_choice *out)
{
	uint32_t *orders[GRAPH_CHOICES_MOST] = { NULL };
	struct graph_choice_sorting s = { NULL, &c->x->trace->names, names };
	uint32_t *replay = attribute_graph_choice_order(c, &s, n, of->ordered);
	bool ok = replay;

	for (uint32_t i = 0; ok && i < of->n; i++) {
		s.graph = of->list[i];
		ok = (orders[i] = attribute_graph_choice_order(c, &s, n,
			      of->ordered));
	}
	ok = ok &&
	     attribute_graph_choice_fill(c, of, orders, replay, names, n, out);
	arena_drop(c->arena, replay);
	for (uint32_t i = 0; i < of->n; i++)
		arena_drop(c->arena, orders[i]);
	out->captured = out->matched = n;
	return ok;
}

/* What is known about a kernel of a replay from captures that differ. */
struct graph_near_fact {
	struct graph_node_known is;
	struct graph_place place;
	bool extra; /* a candidate may have no partner for it */
};

/* Marks the operator calls of a capture that may lack a kernel. */
static void attribute_graph_near_lacking(const struct graph_alignment *g,
	const struct graph_known *of, bool *lacking)
{
	for (uint32_t j = 0; j < of->n; j++)
		if (g->missing[j])
			lacking[of->nodes[j].call] = true;
}

static void attribute_graph_near_fact(const struct graph_alignment *g,
	const struct graph_known *of, const bool *lacking, uint32_t i,
	struct graph_near_fact *f)
{
	uint32_t from = i > g->distance ? i - g->distance : 0;

	f->extra = f->extra || g->extra[i];
	for (uint32_t j = from; j < of->n && j <= i + g->distance; j++) {
		if (!graph_align_match(g, i, j))
			continue;
		const struct graph_node_known *n = &of->nodes[j];
		if (!f->place.matched)
			f->is = *n;
		f->place.matched = true;
		f->place.unsure = f->place.unsure || lacking[n->call];
		attribute_graph_choice_agree(&f->is, n, &f->place);
	}
}

/* Adds the facts from one candidate. */
static bool attribute_graph_near_facts(struct graph_near *w,
	const struct graph_alignment *g, uint32_t candidate,
	struct graph_near_fact *facts)
{
	const struct graph_known *of = w->of->list[candidate];
	bool *lacking = arena_grow(w->c->arena, NULL, (size_t)of->n + 1);

	if (!lacking)
		return false;
	attribute_graph_near_lacking(g, of, lacking);
	for (uint32_t i = 0; i < w->n; i++) {
		attribute_graph_near_fact(g, of, lacking, i, &facts[i]);
		facts[i].place.unsure = facts[i].place.unsure || g->replaced;
	}
	arena_drop(w->c->arena, lacking);
	return true;
}

/* Aligns the replay with each candidate. Candidates with the same kernels in
 * the same order have one alignment. */
static bool attribute_graph_near_align(struct graph_near *w, bool aligned,
	struct graph_near_fact *facts)
{
	struct graph_alignment g = { 0 };
	struct arena *a = w->c->arena, scratch = arena_scratch(a);
	bool ok = true;

	for (uint32_t i = 0; ok && i < w->of->n; i++) {
		const struct graph_sides s = { w->ids[i], w->names,
			w->of->list[i]->n, w->n };
		if (i == 0 || !aligned) {
			arena_scratch_release(&scratch, a);
			scratch = arena_scratch(a);
			ok = graph_align(&g, &s, w->of->distance, &scratch);
		}
		w->c->steps += GRAPH_CELL_STEPS * (uint64_t)w->n *
			       (2 * w->of->distance + 1);
		ok = ok && attribute_graph_near_facts(w, &g, i, facts);
	}
	arena_scratch_release(&scratch, a);
	return ok;
}

static bool attribute_graph_near_place(struct graph_choice_state *c,
	struct graph_near_fact *f, struct graph_choice *out)
{
	struct graph_place *p = &f->place;

	if (!p->matched)
		return true;
	p->call = f->is.call;
	if (p->call >= out->calls)
		out->calls = p->call + 1;
	p->unclear = p->unclear || f->extra;
	if (f->is.op && !p->unclear)
		p->op = catalog_operator(c->x->catalog, f->is.op);
	return !p->op || p->unsure ||
	       attribute_graph_choice_shape(&c->shapes, &f->is, &p->sizes);
}

static bool attribute_graph_near_make(struct graph_near *w, bool aligned,
	struct graph_choice *out)
{
	struct graph_place *places =
		arena_array(w->c->arena, struct graph_place, w->n);
	struct graph_near_fact *facts = arena_grow(w->c->arena, NULL,
		((size_t)w->n + 1) * sizeof *facts);
	bool ok = places && facts &&
		  attribute_graph_near_align(w, aligned, facts);

	for (uint32_t i = 0; ok && i < w->n; i++) {
		ok = attribute_graph_near_place(w->c, &facts[i], out);
		places[i] = facts[i].place;
	}
	arena_drop(w->c->arena, facts);
	out->places = places;
	out->captured = w->of->list[0]->n;
	out->matched = (w->n + out->captured - w->of->distance) / 2;
	return ok;
}

/* Whose captures the candidates are. */
static void attribute_graph_choice_source(const struct graph_choice_state *c,
	const struct graph_choice_candidates *of, struct graph_choice *out)
{
	const struct operators *own = &c->x->profile->operators;
	const struct graph_known *g = of->list[0];

	out->upload = g->upload;
	if (own->learned_n && g >= own->learned &&
		g < own->learned + own->learned_n)
		out->source = GRAPH_SOURCE_RUN;
	else
		out->source =
			g->upload ? GRAPH_SOURCE_OTHER : GRAPH_SOURCE_UPLOAD;
}

/* After keep_for_tokens(), which reorders the list, ids are set again. */
static void attribute_graph_near_number(struct graph_near *w)
{
	const struct operators *own = &w->c->x->profile->operators;
	const struct graph_book *book = w->c->x->book;

	for (uint32_t i = 0; i < w->of->n; i++) {
		const struct graph_known *g = w->of->list[i];
		bool mine = own->learned_n && g >= own->learned &&
			    g < own->learned + own->learned_n;
		size_t number =
			mine ? (size_t)(g - own->learned)
			     : own->learned_n + (size_t)(g - book->graphs);
		w->ids[i] = w->c->ids[number];
	}
}

static bool attribute_graph_choice_make(struct graph_choice_state *c,
	const uint32_t *names, uint32_t n, int64_t tokens,
	struct graph_choice *out)
{
	struct graph_choice_candidates of = { .n = 0 };
	struct graph_near near = { .c = c, .names = names, .n = n, .of = &of };
	uint8_t key[32];

	*out = (struct graph_choice){ .source = GRAPH_SOURCE_NONE };
	if (!attribute_graph_choice_exact(c, names, n, key, &of) ||
		(!of.n && !of.many && !attribute_graph_near_find(&near, key)))
		return false;
	out->skipped = of.skipped;
	out->many = of.many;
	if (!of.n)
		return true;
	bool aligned = attribute_graph_choice_aligned(&of);
	if (aligned && !attribute_graph_choice_keep_for_tokens(&c->shapes,
			       of.list, &of.n, tokens))
		return false;
	out->captures = of.n;
	attribute_graph_choice_source(c, &of, out);
	if (!of.distance)
		return attribute_graph_choice_make_exact(c, &of, names, n, out);
	attribute_graph_near_number(&near);
	return attribute_graph_near_make(&near, aligned, out);
}

/* Returns the choice for a replay in a step of `tokens` tokens (-1: unknown).
 * `sequence` is the id of the replay's kernel names, `names` are their ids in
 * the trace. The result is valid until the next call of this function; NULL if
 * the arena is full. */
static const struct graph_choice *
attribute_graph_choice_of(struct graph_choice_state *c, uint32_t sequence,
	const uint32_t *names, uint32_t n, int64_t tokens)
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
	if (id == known && !attribute_graph_choice_make(c, names, n, tokens,
				   &c->choices[id]))
		return NULL;
	return &c->choices[id];
}

/* Attributes captured launches by the rule over their kernel's name, with the
 * dims of the host operator around them. Such a kernel is work of its own below
 * a host operator of another kind. Consecutive launches with the same host
 * operator and the same rule are one operator call. */
static bool attribute_graph_captured_by_rule(struct attribution *x)
{
	const struct trace *t = x->trace;
	const struct operator_info *last = NULL;
	uint32_t last_row = ATTRIBUTE_NO_OP;

	for (uint32_t i = 0; x->host && i < x->captured_n; i++) {
		struct attributed *to = &x->of_captured[i];
		uint32_t call = x->captured[i];
		const struct name *kernel =
			&t->names.list[t->call.kernel[call]];
		uint32_t row = attribute_op_innermost(x->host, call,
			t->call.external_id[call]);
		if (to->op || row == ATTRIBUTE_NO_OP)
			continue;
		const struct operator_info *is =
			catalog_kernel_operator(x->catalog, kernel->text,
				kernel->len);
		if (!is)
			continue;
		if (!attribute_op_shape(x->host, row, is, &to->sizes))
			return false;
		if (!to->sizes)
			continue;
		x->calls += row != last_row || is != last;
		last = is;
		last_row = row;
		to->op = is;
		to->known = KNOWN_OP_SIZES;
		to->call = x->calls - 1;
	}
	return true;
}

struct attribute_graph_counts {
	int64_t replayed, known, strange, differ, aligned, unclear, unsure,
		skipped;
};

static void attribute_graph_count(const struct graph_choice *is, uint32_t i,
	const struct attributed *to, struct attribute_graph_counts *count)
{
	const struct graph_place *place = is->places ? &is->places[i] : NULL;

	if (to->known == KNOWN_NODE)
		return;
	count->skipped += is->skipped;
	count->strange += !is->skipped && !(place && place->matched);
	count->unclear += place && place->unclear && !to->op;
}

/* Why a kernel of a replay of n kernels has no operator. */
static enum graph_reason attribute_graph_reason(const struct graph_choice *is,
	uint32_t i, uint32_t n)
{
	const struct graph_place *place = is->places ? &is->places[i] : NULL;

	if (is->skipped)
		return GRAPH_REASON_SKIPPED;
	if (is->many)
		return GRAPH_REASON_MANY;
	if (!place)
		return n < GRAPH_SPECIFIC ? GRAPH_REASON_SMALL
					  : GRAPH_REASON_NO_CAPTURE;
	if (!place->matched)
		return GRAPH_REASON_UNMATCHED;
	return place->unclear ? GRAPH_REASON_AMBIGUOUS
			      : GRAPH_REASON_NO_OPERATOR;
}

/* Adds the kernels of a replay, which are attributed, to the row of its
 * graph. */
static void attribute_graph_match_kernels(const struct attribution *x,
	struct graph_match *m, const uint32_t *kernels, uint32_t n,
	const struct graph_choice *is)
{
	const int64_t *dur_ns = x->trace->kernel.dur_ns + x->proc->kernel.from;

	for (uint32_t i = 0; i < n; i++) {
		m->total_ns += dur_ns[kernels[i]];
		if (x->of[kernels[i]].op) {
			m->attributed++;
			continue;
		}
		enum graph_reason why = attribute_graph_reason(is, i, n);
		if (why < m->reason)
			m->reason = why;
	}
}

/* Adds a replay to the row of its graph. Rows have the numbers of the
 * sequences. If the choice depends on the step, the row has that of the last
 * replay. */
static void attribute_graph_match_add(const struct attribution *x,
	struct graph_match *m, const uint32_t *kernels, uint32_t n,
	const struct graph_choice *is)
{
	if (!m->replays++)
		m->reason = GRAPH_REASON_NONE;
	m->kernels = n;
	if (is->captures > m->captures)
		m->captures = is->captures;
	if (is->captures || !m->captures) {
		m->captured = is->captured;
		m->matched = is->matched;
		m->source = is->source;
		m->upload = is->upload;
	}
	attribute_graph_match_kernels(x, m, kernels, n, is);
}

/* Attributes the kernels of a replay from the choice for its graph. */
static void attribute_graph_fill(struct attribution *x, const uint32_t *kernels,
	uint32_t n, const struct graph_choice *is,
	struct attribute_graph_counts *count)
{
	bool exact = is->matched == n && is->captured == n;

	count->replayed += n;
	for (uint32_t i = 0; i < n; i++) {
		struct attributed *to = &x->of[kernels[i]];
		count->known += to->known == KNOWN_NODE;
		attribute_graph_count(is, i, to, count);
		if (to->op || !is->places || !is->places[i].op)
			continue;
		const struct graph_place *place = &is->places[i];
		to->op = place->op;
		to->sizes = place->sizes;
		to->known = KNOWN_GRAPH;
		to->call = x->calls + place->call;
		count->known++;
		count->aligned += !exact;
		count->unsure += place->unsure;
		count->differ +=
			place->differ && !place->sizes && !place->unsure;
	}
	x->calls += is->calls;
}

static int64_t attribute_graph_tokens_at(const struct attribution *x,
	const struct serving_steps *steps, uint32_t call)
{
	const struct call_rows *c = &x->trace->call;

	if (call == CORRELATION_NONE)
		return -1;
	const struct step_label *label =
		serving_steps_at(steps, c->thread[call], c->start_ns[call]);
	return label ? label->all.q : -1;
}

static bool attribute_graph_replays(struct attribution *x,
	const struct graph_replays *r, struct arena *scratch,
	struct graph_match *matches, struct attribute_graph_counts *count)
{
	struct graph_choice_state chooser;
	struct serving_steps steps;

	if (!serving_steps_find(x->catalog, x->trace, x->proc, scratch,
		    &steps) ||
		!attribute_graph_choice_init(&chooser, x, scratch))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		const uint32_t *names =
			(const void *)names_text(&r->sequences, r->sequence[i]);
		uint32_t n = r->from[i + 1] - r->from[i];
		const struct graph_choice *is =
			attribute_graph_choice_of(&chooser, r->sequence[i],
				names, n,
				attribute_graph_tokens_at(x, &steps,
					r->call[i]));
		if (!is)
			return false;
		attribute_graph_fill(x, r->kernel + r->from[i], n, is, count);
		attribute_graph_match_add(x, &matches[r->sequence[i]],
			r->kernel + r->from[i], n, is);
	}
	return true;
}

/* Orders matches by the number of replayed kernels, most first. */
static int attribute_graph_match_by_kernels(const void *left, const void *right)
{
	const struct graph_match *a = left, *b = right;
	int64_t an = a->replays * a->kernels, bn = b->replays * b->kernels;

	if (an != bn)
		return an < bn ? 1 : -1;
	return memcmp(a->key, b->key, sizeof a->key);
}

enum { MATCHES_MOST = 1000 };

/* Computes the key and the sketch of a sequence of kernels. */
static bool attribute_graph_wanted(const struct trace *t,
	const struct name *sequence, struct arena *a, struct arena *scratch,
	struct graph_wanted *out)
{
	uint32_t n = (uint32_t)(sequence->len / sizeof(uint32_t));
	uint32_t *names = arena_grow(scratch, NULL, sequence->len);
	const char **texts = arena_grow(scratch, NULL, n * sizeof *texts);
	bool ok = names && texts;

	if (ok)
		memcpy(names, sequence->text, sequence->len);
	for (uint32_t i = 0; ok && i < n; i++)
		texts[i] = names_text(&t->names, names[i]);
	ok = ok && graph_sketch_from(texts, n, a, &out->sketch);
	if (ok)
		graph_capture_key(&t->names, names, n, out->key);
	arena_drop(scratch, texts);
	arena_drop(scratch, names);
	return ok;
}

/* Sets what the row of a sequence still lacks. Only graphs with kernels that a
 * later capture may explain have a sketch. */
static bool attribute_graph_match_end(struct attribution *x,
	const struct name *sequence, struct arena *scratch,
	struct graph_match *m)
{
	struct graph_wanted *is = arena_new(x->arena, struct graph_wanted);

	if (!is || !attribute_graph_wanted(x->trace, sequence, x->arena,
			   scratch, is))
		return false;
	memcpy(m->key, is->key, sizeof m->key);
	if (m->attributed < m->replays * m->kernels)
		m->sketch = &is->sketch;
	return true;
}

/* Stores the matches with the most kernels. */
static bool attribute_graph_matches_store(struct attribution *x,
	const struct graph_replays *r, struct graph_match *matches,
	struct arena *scratch)
{
	struct operators *to = &x->profile->operators;
	uint32_t n = 0;

	for (uint32_t i = 1; i < r->sequences.n; i++) {
		if (!attribute_graph_match_end(x, &r->sequences.list[i],
			    scratch, &matches[i]))
			return false;
		matches[n++] = matches[i];
	}
	if (n)
		qsort(matches, n, sizeof *matches,
			attribute_graph_match_by_kernels);
	to->matches_n = n < MATCHES_MOST ? n : MATCHES_MOST;
	to->matches = arena_array(x->arena, struct graph_match,
		(size_t)to->matches_n + 1);
	if (to->matches && n)
		memcpy(to->matches, matches, to->matches_n * sizeof *matches);
	return to->matches;
}

/* The graph whose kernels match worst, of those that match in part. */
static size_t attribute_graph_note_worst(const struct operators *o,
	char text[80])
{
	const struct graph_match *worst = NULL;

	for (uint32_t i = 0; i < o->matches_n; i++) {
		const struct graph_match *m = &o->matches[i];
		if (!m->captures)
			continue;
		if (!worst || graph_match_pct(m) < graph_match_pct(worst))
			worst = m;
	}
	if (!worst)
		return 0;
	/* rounded down, so that 100 % means all */
	int64_t tenths = INT64_C(2000) * worst->matched /
			 ((int64_t)worst->kernels + worst->captured);
	int len = snprintf(text, 80,
		"%u of %u replayed and %u captured kernels match (%d.%d %%)",
		worst->matched, worst->kernels, worst->captured,
		(int)(tenths / 10), (int)(tenths % 10));
	return len < 80 ? (size_t)len : 79;
}

static void attribute_graph_note(const struct attribute_graph_counts *count,
	struct profile *p)
{
	char worst[80];

	p->operators.replayed = count->replayed;
	p->operators.replayed_known = count->known;
	if (count->strange)
		note_add(&p->notes, NOTE_graph_strange, count->strange, NULL,
			0);
	if (count->differ)
		note_add(&p->notes, NOTE_graph_sizes, count->differ, NULL, 0);
	if (count->aligned)
		note_add(&p->notes, NOTE_graph_aligned, count->aligned, worst,
			attribute_graph_note_worst(&p->operators, worst));
	if (count->unclear)
		note_add(&p->notes, NOTE_graph_unclear, count->unclear, NULL,
			0);
	if (count->unsure)
		note_add(&p->notes, NOTE_graph_unsure, count->unsure, NULL, 0);
	if (count->skipped)
		note_add(&p->notes, NOTE_graph_skipped, count->skipped, NULL,
			0);
}

static bool attribute_graph_all(struct attribution *x,
	const struct graph_replays *r, struct arena *scratch,
	struct attribute_graph_counts *count)
{
	struct graph_match *matches =
		arena_grow(scratch, NULL, r->sequences.n * sizeof *matches);

	return matches &&
	       attribute_graph_replays(x, r, scratch, matches, count) &&
	       attribute_graph_matches_store(x, r, matches, scratch);
}

bool attribute_graph(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct graph_replays r = { 0 };
	struct attribute_graph_counts count = { 0 };

	bool ok = attribute_graph_captured_by_rule(x) &&
		  graph_capture_learn(x) &&
		  attribute_graph_find_replays(x->trace, x->proc, x->call_of,
			  &scratch, &r) &&
		  (!r.n || attribute_graph_all(x, &r, &scratch, &count));
	if (ok)
		attribute_graph_note(&count, x->profile);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

/* Each key once: sequences of one key differ in the order only. */
static bool attribute_graph_wanted_add(const struct trace *t,
	const struct graph_replays *r, struct arena *a, struct arena *scratch,
	struct graph_wanted *wanted, uint32_t *n)
{
	struct names keys;
	bool ok = names_init(&keys, scratch);

	for (uint32_t i = 1; ok && i < r->sequences.n; i++) {
		struct graph_wanted *is = &wanted[*n];
		uint32_t known = keys.n;
		ok = attribute_graph_wanted(t, &r->sequences.list[i], a,
			scratch, is);
		uint32_t id = ok ? names_put(&keys, (const char *)is->key,
					   sizeof is->key)
				 : NAMES_NONE;
		ok = id != NAMES_NONE;
		*n += ok && id == known;
	}
	return ok;
}

bool attribute_wanted(const struct trace *t, uint32_t process, struct arena *a,
	struct graph_wanted **wanted, uint32_t *n)
{
	const struct process *proc = &t->processes[process];
	struct arena scratch = arena_scratch(a);
	struct graph_replays r = { 0 };
	uint32_t *call_of;

	*wanted = NULL;
	*n = 0;
	bool ok = correlation_join(t, proc, &scratch, &call_of) &&
		  attribute_graph_find_replays(t, proc, call_of, &scratch, &r);
	if (ok && r.sequences.n > 1) {
		*wanted = arena_array(a, struct graph_wanted, r.sequences.n);
		ok = *wanted &&
		     attribute_graph_wanted_add(t, &r, a, &scratch, *wanted, n);
	}
	arena_scratch_release(&scratch, a);
	return ok;
}

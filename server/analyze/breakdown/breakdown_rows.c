/* breakdown_rows.c - places become rows, their kinds blocks; then the figures,
 * one part after the other. */
#include "breakdown_rows.h"
#include "breakdown_work.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What is at a place. */
struct place {
	uint32_t n;
	int64_t ns;
	bool rest; /* it has no row of its own */
};

static int longest_first(const void *left, const void *right)
{
	const struct place *const *a = left, *const *b = right;

	if ((*a)->ns != (*b)->ns)
		return (*a)->ns > (*b)->ns ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

/* Marks places that are too many for a row each. */
static bool mark_rest(const struct breakdown_work *w, struct place *places)
{
	uint32_t n = 0;
	struct place **order = arena_grow(w->a, NULL,
		((size_t)w->l->places_n + 1) * sizeof(struct place *));

	if (!order)
		return false;
	for (uint32_t p = 0; p < w->l->places_n; p++)
		if (places[p].n)
			order[n++] = &places[p];
	if (n > BREAKDOWN_ROWS_MOST)
		qsort(order, n, sizeof *order, longest_first);
	for (uint32_t i = BREAKDOWN_ROWS_MOST; i < n; i++)
		order[i]->rest = true;
	arena_drop(w->a, order);
	return true;
}

/* NULL where the arena is full. */
static struct place *places_of(const struct breakdown_work *w)
{
	const struct layering *l = w->l;
	struct place *places = arena_grow(w->a, NULL,
		((size_t)l->places_n + 1) * sizeof *places);

	for (uint32_t i = 0; places && i < w->s->n; i++) {
		if (l->place[i] == LAYER_NONE)
			continue;
		places[l->place[i]].n++;
		places[l->place[i]].ns += w->s->items[i].dur_ns;
	}
	return places && mark_rest(w, places) ? places : NULL;
}

static struct breakdown_row row_new(const struct breakdown_work *w,
	uint32_t place, uint32_t block)
{
	const struct layer_place *p = &w->l->places[place];
	const struct layer_named *n = &w->named[place];
	uint32_t kernels = w->s->profile->kernels_n;
	bool kernel = p->symbol < kernels;

	return (struct breakdown_row){ .block = block,
		.kernel = kernel ? p->symbol : ROW_NO_KERNEL,
		.operation =
			kernel ? NULL : w->s->operations[p->symbol - kernels],
		.operator_ = n->operator? n->operator->name : NULL,
		.module = p->module,
		.roles = n->roles,
		.role_by_module = n->by_module,
		.lane = p->lane,
		.group = ROW_NO_GROUP };
}

static struct breakdown_row rest_new(const struct breakdown_work *w,
	uint32_t place, uint32_t block)
{
	return (struct breakdown_row){ .block = block,
		.kernel = ROW_NO_KERNEL,
		.operation = BREAKDOWN_ROW_REST,
		.lane = w->l->places[place].lane,
		.group = ROW_NO_GROUP };
}

/* The rows of a block: the places of a section that are of its kind. */
static void rows_of(struct breakdown_work *w, uint32_t section,
	enum layer_block_kind kind, const struct place *places)
{
	const struct layer_section *s = &w->l->sections[section];
	struct breakdown *out = w->out;
	uint32_t block = out->blocks_n++, rest = LAYER_NONE;

	out->blocks[block] = (struct breakdown_block){ .section = section,
		.kind = kind,
		.beside = UINT32_MAX };
	for (uint32_t p = s->places_from; p < s->places_from + s->places_n;
		p++) {
		if (!places[p].n || w->named[p].block != kind)
			continue;
		if (places[p].rest) {
			rest = rest == LAYER_NONE ? p : rest;
			continue;
		}
		w->row_of_place[p] = out->rows_n;
		out->rows[out->rows_n++] = row_new(w, p, block);
	}
	if (rest == LAYER_NONE)
		return;
	for (uint32_t p = rest; p < s->places_from + s->places_n; p++)
		if (places[p].rest && w->named[p].block == kind)
			w->row_of_place[p] = out->rows_n;
	out->rows[out->rows_n++] = rest_new(w, rest, block);
}

/* Blocks of a section, as their first places come. */
static void blocks_of(struct breakdown_work *w, uint32_t section,
	const struct place *places)
{
	const struct layer_section *s = &w->l->sections[section];
	bool met[BLOCKS] = { false };

	for (uint32_t p = s->places_from; p < s->places_from + s->places_n;
		p++) {
		enum layer_block_kind kind = w->named[p].block;
		assert(kind < BLOCKS);
		if (!places[p].n || met[kind])
			continue;
		met[kind] = true;
		rows_of(w, section, kind, places);
	}
}

static bool room(struct breakdown_work *w)
{
	const struct layering *l = w->l;
	struct breakdown *out = w->out;
	size_t places = (size_t)l->places_n + 1;
	size_t most = w->s->n > l->instances_n ? w->s->n : l->instances_n;

	if (w->s->passes_n > most)
		most = w->s->passes_n;
	w->spans = arena_grow(w->a, NULL,
		((size_t)l->instances_n + 1) * sizeof *w->spans);
	w->row_of_place = arena_grow(w->a, NULL, places * sizeof(uint32_t));
	w->order = arena_grow(w->a, NULL,
		((size_t)w->s->n + 1) * sizeof *w->order);
	w->ns = arena_grow(w->a, NULL, (most + 1) * sizeof *w->ns);
	w->scratch = arena_grow(w->a, NULL, (most + 1) * sizeof *w->scratch);
	out->sections = arena_array(w->keep, struct breakdown_section,
		(size_t)l->sections_n + 1);
	out->rows = arena_array(w->keep, struct breakdown_row, places);
	out->blocks = arena_array(w->keep, struct breakdown_block,
		(size_t)l->sections_n * BLOCKS + 1);
	return w->spans && w->row_of_place && w->order && w->ns && w->scratch &&
	       out->sections && out->rows && out->blocks;
}

/* Counted two places on, placed one place on. */
static bool by_instance(struct breakdown_work *w)
{
	const uint32_t *instance = w->l->instance;
	uint32_t n = w->l->instances_n;
	uint32_t *from = arena_grow(w->a, NULL, ((size_t)n + 2) * sizeof *from);

	if (!from)
		return false;
	for (uint32_t i = 0; i < w->s->n; i++)
		if (instance[i] != LAYER_NONE)
			from[instance[i] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		from[i] += from[i - 1];
	for (uint32_t i = 0; i < w->s->n; i++)
		if (instance[i] != LAYER_NONE)
			w->order[from[instance[i] + 1]++] = i;
	w->order_n = from[n];
	arena_drop(w->a, from);
	return true;
}

static bool rows(struct breakdown_work *w)
{
	struct place *places = places_of(w);

	if (!places || !room(w))
		return false;
	memset(w->row_of_place, 0xFF,
		(size_t)w->l->places_n * sizeof *w->row_of_place);
	for (uint32_t s = 0; s < w->l->sections_n; s++)
		blocks_of(w, s, places);
	arena_drop(w->a, places);
	return by_instance(w);
}

/* Gives back what the sweep, which takes most, does not need. */
static bool thin(struct breakdown_work *w)
{
	arena_drop(w->a, w->order);
	arena_drop(w->a, w->ns);
	arena_drop(w->a, w->scratch);
	w->order = NULL;
	w->ns = w->scratch = NULL;
	return true;
}

/* A copy that stays. */
static bool keep_text(struct breakdown_work *w, const char **text)
{
	if (*text)
		*text = arena_strdup(w->keep, *text);
	return *text || !w->keep->full;
}

static bool keep_texts(struct breakdown_work *w)
{
	struct breakdown *out = w->out;
	bool ok = keep_text(w, &out->anchor) && keep_text(w, &out->why);

	for (uint32_t i = 0; ok && i < out->sections_n; i++)
		ok = keep_text(w, &out->sections[i].name);
	for (uint32_t i = 0; ok && i < out->rows_n; i++)
		ok = keep_text(w, &out->rows[i].module) &&
		     keep_text(w, &out->rows[i].operation);
	return ok;
}

bool breakdown_rows(const struct attribution *at, const struct layer_seq *s,
	const struct layering *l, const struct layer_named *named,
	const uint32_t *group_of, struct arena *keep, struct breakdown *out)
{
	struct breakdown_work w = { .at = at,
		.s = s,
		.l = l,
		.named = named,
		.group_of = group_of,
		.keep = keep,
		.a = at->arena,
		.out = out };

	out->detector = l->detector;
	out->confidence = l->confidence;
	out->anchor = l->anchor;
	out->why = l->why;
	return rows(&w) && breakdown_sections(&w) && breakdown_times(&w) &&
	       breakdown_bound(&w) && breakdown_together(&w) &&
	       breakdown_bars(&w) && thin(&w) && breakdown_unions(&w) &&
	       keep_texts(&w);
}

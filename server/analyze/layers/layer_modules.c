/* layer_modules.c - finds layers from modules and ranges. */
#include "frame_name.h"
#include "layer_words.h"
#include "layering.h"
#include "module_stack.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open ranges: finds for each launch the range with the layer's name that was
 * open on the host. The range determines to which execution of the layer the
 * launch belongs. */

struct module_open {
	int64_t at_ns;
	uint32_t thread; /* 0: unknown */
	uint32_t pass, mark, item;
	uint32_t row; /* result: row of the trace's ranges; else LAYER_NONE */
};

enum { CLIMB_MOST = 512 };

/* The name of a layer's range. It is hashed as bytes, so it has no padding. */
struct module_open_label {
	int64_t number;
	uint32_t word, class_name;
};

struct module_open_opener {
	const struct layer_seq *s;
	const struct module_marks *m;
	struct names labels; /* struct module_open_label of layers */
	uint32_t *label_of; /* by name of the trace: id + 1; 1: not a layer */
	uint32_t *top; /* by thread: row + 1 of the innermost open range */
	uint32_t *
		below; /* by row of the slice: row + 1 of the range around it */
	struct arena *arena;
};

static int layer_modules_open_by_moment(const void *left, const void *right)
{
	const struct module_open *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->item < b->item ? -1 : a->item > b->item;
}

/* Returns the id of a mark's label; 0 if no layer has this name. */
static uint32_t layer_modules_open_label_of(const struct module_open_opener *o,
	uint32_t word, bool class_name, int64_t number)
{
	struct module_open_label l = { number, word, class_name };
	uint32_t id = names_find(&o->labels, (const char *)&l, sizeof l);
	return id == NAMES_NONE ? 0 : id;
}

static bool layer_modules_open_put_layers(struct module_open_opener *o,
	const struct module_stacks *l)
{
	for (uint32_t i = 1; i < o->m->n; i++) {
		const struct module_mark *x = &o->m->marks[i];
		struct module_open_label k = { x->number, x->word,
			x->class_name };
		if (l->layer_of[i] == i &&
			names_put(&o->labels, (const char *)&k, sizeof k) ==
				NAMES_NONE)
			return false;
	}
	return true;
}

/* Returns the label of a range's name by its last part. */
static bool layer_modules_open_label(struct module_open_opener *o, uint32_t row,
	uint32_t *id)
{
	const struct range_rows *r = &o->s->trace->range;
	uint32_t name = r->name[row];
	const struct name *raw = &o->s->trace->names.list[name];
	enum frame_kind kind =
		r->kind[row] == RANGE_MODULE ? FRAME_MODULE : FRAME_ANNOTATION;
	struct module_name parts;
	const char *text;
	size_t len;

	if (!o->label_of[name]) {
		if (!frame_name_from(o->arena, &kind, raw->text, raw->len,
			    &text, &len))
			return false;
		char *own = arena_grow(o->arena, NULL, len + 1);
		if (!own)
			return false;
		memcpy(own, text, len);
		module_name_read(own, kind == FRAME_MODULE, &parts);
		o->label_of[name] = 1;
		if (parts.n) {
			const struct module_name_part *p =
				&parts.parts[parts.n - 1];
			uint32_t word =
				names_find(&o->m->words, p->text, p->len);
			uint32_t found =
				word == NAMES_NONE
					? 0
					: layer_modules_open_label_of(o, word,
						  parts.class_name, p->number);
			if (!found && word != NAMES_NONE)
				found = layer_modules_open_label_of(o, word,
					parts.class_name, -1);
			o->label_of[name] = found + 1;
		}
		arena_drop(o->arena, own);
	}
	*id = o->label_of[name] - 1;
	return true;
}

static int64_t layer_modules_open_end_of(const struct module_open_opener *o,
	uint32_t row)
{
	const struct range_rows *r = &o->s->trace->range;
	return r->start_ns[row] + r->dur_ns[row];
}

static void layer_modules_open_close(struct module_open_opener *o,
	uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &o->top[thread];

	while (*top && layer_modules_open_end_of(o, *top - 1) <= at_ns)
		*top = o->below[*top - 1 - o->s->proc->range.from];
}

static bool layer_modules_open_open_row(struct module_open_opener *o,
	uint32_t row)
{
	const struct range_rows *r = &o->s->trace->range;
	uint32_t thread = r->thread[row], id;

	if (!thread || (r->kind[row] != RANGE_MODULE &&
			       r->kind[row] != RANGE_ANNOTATION))
		return true;
	if (!layer_modules_open_label(o, row, &id))
		return false;
	if (!id)
		return true;
	layer_modules_open_close(o, thread, r->start_ns[row]);
	o->below[row - o->s->proc->range.from] = o->top[thread];
	o->top[thread] = row + 1;
	return true;
}

/* Returns the outermost open range with the layer's name. */
static uint32_t layer_modules_open_row_of(struct module_open_opener *o,
	const struct module_open *at)
{
	const struct module_mark *x = &o->m->marks[at->mark];
	const struct range_rows *r = &o->s->trace->range;
	uint32_t label = layer_modules_open_label_of(o, x->word, x->class_name,
		x->number);
	uint32_t found = LAYER_NONE, up = o->top[at->thread];

	for (int i = 0; up && i < CLIMB_MOST; i++) {
		uint32_t row = up - 1;
		if (o->label_of[r->name[row]] == label + 1 &&
			layer_modules_open_end_of(o, row) > at->at_ns)
			found = row;
		up = o->below[row - o->s->proc->range.from];
	}
	return found;
}

static bool layer_modules_open_init(struct module_open_opener *o)
{
	const struct slice *of = &o->s->proc->range;
	size_t names = o->s->trace->names.n;
	size_t rows = (size_t)(of->to - of->from) + 1;

	o->label_of = arena_grow(o->arena, NULL, names * sizeof *o->label_of);
	o->top = arena_grow(o->arena, NULL, names * sizeof *o->top);
	o->below = arena_grow(o->arena, NULL, rows * sizeof *o->below);
	return o->label_of && o->top && o->below &&
	       names_init(&o->labels, o->arena);
}

/* Fills `row` of each entry of `open`, and sorts `open` by time. Returns false
 * if the arena is full. */
static bool layer_modules_open_find(const struct layer_seq *s,
	const struct module_marks *m, const struct module_stacks *l,
	struct module_open *open, uint32_t n, struct arena *scratch)
{
	struct module_open_opener o = { .s = s, .m = m, .arena = scratch };
	uint32_t row = s->proc->range.from;

	qsort(open, n, sizeof *open, layer_modules_open_by_moment);
	if (!layer_modules_open_init(&o) ||
		!layer_modules_open_put_layers(&o, l))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!open[i].thread)
			continue;
		while (row < s->proc->range.to &&
			s->trace->range.start_ns[row] <= open[i].at_ns)
			if (!layer_modules_open_open_row(&o, row++))
				return false;
		layer_modules_open_close(&o, open[i].thread, open[i].at_ns);
		open[i].row = layer_modules_open_row_of(&o, &open[i]);
	}
	return true;
}

/* Visits: a visit is one execution of a layer, with its launches.
 *
 * A layer may run several times in a pass. The launches are read in the order
 * of their host thread. A visit ends at a launch of another layer, or when
 * another range with the layer's name is opened. In a graph replay, all
 * launches of one layer belong to one visit. */

struct module_visit {
	uint32_t mark, pass;
	int64_t first_ns, last_ns; /* starts of its first and last launches */
};

struct module_visits {
	struct module_visit *visits; /* by pass and first start */
	uint32_t n;
	uint32_t *of; /* by item; LAYER_NONE outside layers */
};

static int layer_modules_visit_by_host(const void *left, const void *right)
{
	const struct module_open *a = left, *b = right;
	const int64_t x[] = { a->pass, a->thread, a->at_ns, a->mark, a->item };
	const int64_t y[] = { b->pass, b->thread, b->at_ns, b->mark, b->item };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int layer_modules_visit_by_start(const void *left, const void *right)
{
	const struct module_visit *a = left, *b = right;
	const int64_t x[] = { a->pass, a->first_ns, a->mark, a->last_ns };
	const int64_t y[] = { b->pass, b->first_ns, b->mark, b->last_ns };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static uint32_t layer_modules_visit_collect(const struct layer_seq *s,
	const struct module_marks *m, const struct module_stacks *l,
	struct module_open *open)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		uint32_t layer = l->layer_of[m->of_frame[it->frame]];
		if (!layer || it->pass == LAYER_NONE)
			continue;
		bool host = it->host_ns >= 0 && it->thread;
		open[n++] = (struct module_open){
			.at_ns = host ? it->host_ns : it->start_ns,
			.thread = host ? it->thread : 0,
			.pass = it->pass,
			.mark = layer,
			.item = i,
			.row = LAYER_NONE,
		};
	}
	return n;
}

/* Sorts launches by host thread and start, and assigns them to visits. */
static bool layer_modules_visit_cut(const struct layer_seq *s,
	const struct module_open *open, uint32_t n, struct arena *scratch,
	struct module_visits *out)
{
	uint32_t *to = arena_grow(scratch, NULL, ((size_t)n + 1) * sizeof *to);
	struct {
		struct module_visit visit;
		uint32_t was;
	} * order;

	if (!to)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct module_open *o = &open[i], *before = o - 1;
		bool same = i && o->pass == before->pass &&
			    o->thread == before->thread &&
			    o->mark == before->mark && o->row == before->row;
		out->n += !same;
		to[i] = out->n - 1;
	}
	out->visits =
		arena_array(s->arena, struct module_visit, (size_t)out->n + 1);
	order = arena_grow(scratch, NULL, ((size_t)out->n + 1) * sizeof *order);
	uint32_t *now =
		arena_grow(scratch, NULL, ((size_t)out->n + 1) * sizeof *now);
	if (!out->visits || !order || !now)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int64_t at_ns = s->items[open[i].item].start_ns;
		struct module_visit *v = &order[to[i]].visit;
		if (!i || to[i] != to[i - 1])
			*v = (struct module_visit){ open[i].mark, open[i].pass,
				at_ns, at_ns };
		order[to[i]].was = to[i];
		v->first_ns = at_ns < v->first_ns ? at_ns : v->first_ns;
		v->last_ns = at_ns > v->last_ns ? at_ns : v->last_ns;
	}
	qsort(order, out->n, sizeof *order, layer_modules_visit_by_start);
	for (uint32_t i = 0; i < out->n; i++) {
		out->visits[i] = order[i].visit;
		now[order[i].was] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		out->of[open[i].item] = now[to[i]];
	return true;
}

/* Finds the visits from the kernels in analyzed passes that have a layer around
 * them. Allocates in the arena. Returns false if it is full. */
static bool layer_modules_visits_from(const struct layer_seq *s,
	const struct module_marks *m, const struct module_stacks *l,
	struct module_visits *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct module_open *open =
		arena_grow(&scratch, NULL, ((size_t)s->n + 1) * sizeof *open);

	*out = (struct module_visits){ .of = arena_array(s->arena, uint32_t,
					       (size_t)s->n + 1) };
	bool ok = open && out->of;
	for (uint32_t i = 0; ok && i < s->n; i++)
		out->of[i] = LAYER_NONE;
	uint32_t n = ok ? layer_modules_visit_collect(s, m, l, open) : 0;
	ok = ok && layer_modules_open_find(s, m, l, open, n, &scratch);
	if (ok) {
		qsort(open, n, sizeof *open, layer_modules_visit_by_host);
		ok = layer_modules_visit_cut(s, open, n, &scratch, out);
	}
	arena_scratch_release(&scratch, s->arena);
	return ok;
}

/* Zones: divides each pass into sections by the visits of layers.
 *
 * Some launches have no layer around them: their API call is not in the trace,
 * they are copies, or they are between two layers of a stack. Such a launch
 * belongs to the layer that began last, as long as that layer continues, or if
 * the next layer is of the same stack and has a higher index. Otherwise the
 * launch is before the layers, between stacks or after them. If the request
 * named the ranges, launches between two layers whose API call is known are
 * never added to a layer. */

struct module_zone_zoner {
	const struct layer_seq *s;
	const struct module_marks *m;
	const struct module_visits *v;
	const struct module_kinds *k;
	const struct module_stacks *l;
	uint32_t *pass_from; /* by pass: its first visit; the end follows */
	uint32_t *section; /* by slot; LAYER_NONE: empty */
	uint32_t *slot; /* by item; LAYER_NONE */
	uint32_t slots;
	struct names between; /* pairs of stacks; id = index + 1 */
	struct layer_cut *out;
};

enum { BEFORE, AFTER, FIXED };
enum { BEHIND_ALL = INT32_MAX - 1, NOWHERE }; /* positions in a pass */

/* A pass of n layers has 2n + 1 slots; visit i has slot 2i + 1. */
static uint32_t layer_modules_zone_first_slot(const struct module_zone_zoner *z,
	uint32_t pass)
{
	return 2 * z->pass_from[pass] + pass;
}

static uint32_t layer_modules_zone_slot_of(const struct module_zone_zoner *z,
	uint32_t visit)
{
	return 2 * visit + z->v->visits[visit].pass + 1;
}

static uint32_t layer_modules_zone_stack_of(const struct module_zone_zoner *z,
	uint32_t visit)
{
	return module_stack_of(z->m, z->l, z->v->visits[visit].mark);
}

/* Returns whether the next visit is of the same layer, or of a later layer of
 * the same stack. */
static bool layer_modules_zone_goes_on(const struct module_zone_zoner *z,
	uint32_t visit)
{
	const struct module_mark *a = &z->m->marks[z->v->visits[visit].mark];
	const struct module_mark *b =
		&z->m->marks[z->v->visits[visit + 1].mark];

	if (a->parent != b->parent)
		return false;
	if (a == b)
		return true;
	return a->word == b->word ? a->number < b->number : a->first < b->first;
}

/* Returns the slot of an item without a layer around it. `visit` is the last
 * visit that began before the item; LAYER_NONE if none did. */
static uint32_t layer_modules_zone_outside(const struct module_zone_zoner *z,
	const struct layer_item *it, uint32_t visit)
{
	if (visit == LAYER_NONE)
		return layer_modules_zone_first_slot(z, it->pass);
	bool last = visit + 1 == z->pass_from[it->pass + 1];
	if (it->start_ns <= z->v->visits[visit].last_ns ||
		(!last && layer_modules_zone_goes_on(z, visit) &&
			(!z->l->by_name || it->host_ns < 0)))
		return layer_modules_zone_slot_of(z, visit);
	return layer_modules_zone_slot_of(z, visit) + 1;
}

static bool layer_modules_zone_deal(struct module_zone_zoner *z,
	struct arena *scratch)
{
	uint32_t *at = arena_grow(scratch, NULL,
		((size_t)z->s->passes_n + 1) * sizeof *at);

	if (!at)
		return false;
	memcpy(at, z->pass_from, z->s->passes_n * sizeof *at);
	for (uint32_t i = 0; i < z->s->n; i++) {
		const struct layer_item *it = &z->s->items[i];
		z->slot[i] = LAYER_NONE;
		if (it->pass == LAYER_NONE)
			continue;
		uint32_t *next = &at[it->pass];
		while (*next < z->pass_from[it->pass + 1] &&
			z->v->visits[*next].first_ns <= it->start_ns)
			++*next;
		bool none = *next == z->pass_from[it->pass];
		z->slot[i] =
			z->v->of[i] != LAYER_NONE
				? layer_modules_zone_slot_of(z, z->v->of[i])
				: layer_modules_zone_outside(z, it,
					  none ? LAYER_NONE : *next - 1);
		z->section[z->slot[i]] = 0;
	}
	return true;
}

/* Returns the number of the section between two stacks; LAYER_NONE if the arena
 * is full. */
static uint32_t layer_modules_zone_between(struct module_zone_zoner *z,
	uint32_t visit)
{
	uint32_t key[] = { layer_modules_zone_stack_of(z, visit),
		layer_modules_zone_stack_of(z, visit + 1) };
	uint32_t id = names_put(&z->between, (const char *)key, sizeof key);
	return id == NAMES_NONE ? LAYER_NONE : id - 1;
}

/* Numbers sections in a preliminary order: before, after, kinds, between. */
static bool layer_modules_zone_name_slots(struct module_zone_zoner *z)
{
	uint32_t slot = 0;

	for (uint32_t p = 0; p < z->s->passes_n; p++) {
		uint32_t from = z->pass_from[p], to = z->pass_from[p + 1];
		if (z->section[slot] != LAYER_NONE)
			z->section[slot] = BEFORE;
		slot++;
		for (uint32_t i = from; i < to; i++, slot += 2) {
			z->section[slot] =
				FIXED + z->k->of[z->v->visits[i].mark];
			if (z->section[slot + 1] == LAYER_NONE)
				continue;
			uint32_t b = i + 1 < to
					     ? layer_modules_zone_between(z, i)
					     : 0;
			if (b == LAYER_NONE)
				return false;
			z->section[slot + 1] =
				i + 1 < to ? FIXED + z->k->n + b : AFTER;
		}
	}
	return true;
}

struct module_zone_place {
	uint32_t position, section;
};

static int layer_modules_zone_by_position(const void *left, const void *right)
{
	const struct module_zone_place *a = left, *b = right;

	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	return a->section < b->section ? -1 : a->section > b->section;
}

/* Keeps the sections with launches and sorts them in the order of a pass. */
static bool layer_modules_zone_order(struct module_zone_zoner *z,
	struct arena *scratch, uint32_t *now)
{
	uint32_t all = FIXED + z->k->n + z->between.n - 1, slot = 0;
	struct module_zone_place *places =
		arena_grow(scratch, NULL, all * sizeof *places);

	z->out->sections = arena_array(z->s->arena, struct layer_section, all);
	if (!places || !z->out->sections)
		return false;
	for (uint32_t i = 0; i < all; i++)
		places[i] = (struct module_zone_place){ NOWHERE, i };
	for (uint32_t p = 0; p < z->s->passes_n; p++)
		for (uint32_t end = layer_modules_zone_first_slot(z, p + 1),
			      from = slot;
			slot < end; slot++) {
			uint32_t x = z->section[slot];
			if (x != LAYER_NONE && slot - from < places[x].position)
				places[x].position = slot - from;
		}
	if (places[AFTER].position != NOWHERE)
		places[AFTER].position = BEHIND_ALL;
	qsort(places, all, sizeof *places, layer_modules_zone_by_position);
	for (uint32_t i = 0; i < all && places[i].position != NOWHERE; i++) {
		uint32_t x = places[i].section, kind = x - FIXED;
		struct layer_section *to =
			&z->out->sections[z->out->sections_n];
		now[x] = z->out->sections_n++;
		if (x < FIXED)
			to->place =
				x == BEFORE ? SECTION_BEFORE : SECTION_AFTER;
		else if (kind < z->k->n)
			*to = (struct layer_section){ .place = SECTION_LAYER,
				.name = z->k->kinds[kind].name };
		else
			to->place = SECTION_BETWEEN;
	}
	return true;
}

static bool layer_modules_zone_instances(struct module_zone_zoner *z,
	const uint32_t *now, struct arena *scratch)
{
	struct layer_cut *out = z->out;
	uint32_t *instance_of = arena_grow(scratch, NULL,
		((size_t)z->slots + 1) * sizeof *instance_of);

	out->instances = arena_array(z->s->arena, struct layer_instance,
		(size_t)z->slots + 1);
	out->instance = arena_array(z->s->arena, uint32_t, (size_t)z->s->n + 1);
	if (!instance_of || !out->instances || !out->instance)
		return false;
	for (uint32_t p = 0, slot = 0; p < z->s->passes_n; p++)
		for (uint32_t number = 0;
			slot < layer_modules_zone_first_slot(z, p + 1);
			slot++) {
			if (z->section[slot] == LAYER_NONE)
				continue;
			uint32_t section = now[z->section[slot]];
			bool layer =
				out->sections[section].place == SECTION_LAYER;
			instance_of[slot] = out->instances_n;
			out->instances[out->instances_n++] =
				(struct layer_instance){ section, p,
					layer ? number : 0 };
			number += layer;
		}
	for (uint32_t i = 0; i < z->s->n; i++)
		out->instance[i] = z->slot[i] == LAYER_NONE
					   ? LAYER_NONE
					   : instance_of[z->slot[i]];
	return true;
}

static bool layer_modules_zone_init(struct module_zone_zoner *z,
	struct arena *scratch)
{
	uint32_t passes = z->s->passes_n;

	z->slots = 2 * z->v->n + passes;
	z->pass_from = arena_grow(scratch, NULL,
		((size_t)passes + 2) * sizeof *z->pass_from);
	z->section = arena_grow(scratch, NULL,
		((size_t)z->slots + 1) * sizeof *z->section);
	z->slot = arena_grow(scratch, NULL,
		((size_t)z->s->n + 1) * sizeof *z->slot);
	if (!z->pass_from || !z->section || !z->slot ||
		!names_init(&z->between, scratch))
		return false;
	for (uint32_t i = 0; i < z->v->n; i++)
		z->pass_from[z->v->visits[i].pass + 1]++;
	for (uint32_t p = 0; p < passes; p++)
		z->pass_from[p + 1] += z->pass_from[p];
	for (uint32_t i = 0; i < z->slots; i++)
		z->section[i] = LAYER_NONE;
	return true;
}

/* Makes the cut from the visits. Allocates in s->arena. Returns false if it is
 * full. */
static bool layer_modules_zones(const struct layer_seq *s,
	const struct module_marks *m, const struct module_stacks *l,
	const struct module_visits *v, const struct module_kinds *k,
	struct layer_cut *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct module_zone_zoner z = { .s = s,
		.m = m,
		.l = l,
		.v = v,
		.k = k,
		.out = out };

	*out = (struct layer_cut){ 0 };
	bool ok = layer_modules_zone_init(&z, &scratch) &&
		  layer_modules_zone_deal(&z, &scratch) &&
		  layer_modules_zone_name_slots(&z);
	size_t all = ok ? FIXED + (size_t)k->n + z.between.n : 1;
	uint32_t *now = arena_grow(&scratch, NULL, all * sizeof *now);
	ok = ok && now && layer_modules_zone_order(&z, &scratch, now) &&
	     layer_modules_zone_instances(&z, now, &scratch);
	arena_scratch_release(&scratch, s->arena);
	return ok;
}

/* Positions: finds the name and the roles that modules give to each
 * position. */

enum { PARTS_MOST = 8, PART_MOST = 96, PARENTS_MOST = 16 };

struct module_position_placer {
	const struct layer_seq *s;
	const struct module_marks *m;
	const struct module_stacks *stacks;
	bool *holds; /* by mark: whether a layer is below it */
	struct names texts;
	uint32_t *text_of; /* by mark; 0 none */
};

/* The leading candidate of a majority vote, and its lead in votes. */
struct module_position_vote {
	uint32_t text, mark, item, lead, votes, all;
};

static bool layer_modules_position_ends(const struct module_position_placer *p,
	uint32_t mark)
{
	return !mark || p->stacks->layer_of[mark] == mark || p->holds[mark];
}

/* Writes one part of a path, such as "Linear[3]" or "o_proj". Returns false if
 * it is too long. */
static bool layer_modules_position_part(const struct module_position_placer *p,
	uint32_t mark, char *out, size_t size)
{
	const struct module_mark *x = &p->m->marks[mark];
	const struct name *word = &p->m->words.list[x->word];
	int len;

	if (word->len > PART_MOST)
		return false;
	if (x->class_name && p->stacks->siblings[mark] > 1)
		len = snprintf(out, size, "%s[%u]", word->text,
			p->stacks->ordinal[mark]);
	else if (!x->class_name && x->number >= 0)
		len = snprintf(out, size, "%s.%lld", word->text,
			(long long)x->number);
	else
		len = snprintf(out, size, "%s", word->text);
	return len > 0 && (size_t)len < size;
}

/* Writes the path of a mark from its innermost parts; empty if there is
 * none. */
static bool layer_modules_position_path(const struct module_position_placer *p,
	uint32_t mark, char *out, size_t size)
{
	uint32_t marks[PARTS_MOST], n = 0;
	size_t len = 0;

	for (; n < PARTS_MOST && !layer_modules_position_ends(p, mark);
		mark = p->m->marks[mark].parent)
		marks[n++] = mark;
	out[0] = '\0';
	while (n-- > 0) {
		char text[PART_MOST + 32];
		if (!layer_modules_position_part(p, marks[n], text,
			    sizeof text))
			return false;
		int wrote = snprintf(out + len, size - len, "%s%s",
			len ? "." : "", text);
		len += wrote > 0 ? (size_t)wrote : 0;
		if (len >= size)
			return false;
	}
	return true;
}

static bool layer_modules_position_texts(struct module_position_placer *p,
	struct arena *scratch)
{
	const struct module_marks *m = p->m;
	char text[PARTS_MOST * (PART_MOST + 32)];

	p->holds = arena_grow(scratch, NULL, m->n * sizeof *p->holds);
	p->text_of = arena_grow(scratch, NULL, m->n * sizeof *p->text_of);
	if (!p->holds || !p->text_of || !names_init(&p->texts, p->s->arena))
		return false;
	for (uint32_t i = m->n; i-- > 1;)
		if (p->stacks->layer_of[i] == i || p->holds[i])
			p->holds[m->marks[i].parent] = true;
	for (uint32_t i = 1; i < m->n; i++) {
		if (m->marks[i].first == LAYER_NONE ||
			!layer_modules_position_path(p, i, text, sizeof text))
			continue;
		p->text_of[i] = names_put(&p->texts, text, strlen(text));
		if (p->text_of[i] == NAMES_NONE)
			return false;
	}
	return true;
}

static uint32_t layer_modules_position_mark_of(
	const struct module_position_placer *p, uint32_t item)
{
	return p->m->of_frame[p->s->items[item].frame];
}

/* Returns the text that most launches at a position have, if most have one. */
static struct module_position_vote *
layer_modules_position_count(const struct module_position_placer *p,
	const struct layering *l, struct arena *scratch)
{
	struct module_position_vote *votes = arena_grow(scratch, NULL,
		((size_t)l->places_n + 1) * sizeof *votes);

	for (uint32_t i = 0; votes && i < p->s->n; i++) {
		if (l->instance[i] == LAYER_NONE)
			continue;
		struct module_position_vote *v = &votes[l->place[i]];
		uint32_t text =
			p->text_of[layer_modules_position_mark_of(p, i)];
		if (!v->lead) {
			v->text = text;
			v->mark = layer_modules_position_mark_of(p, i);
			v->item = i;
		}
		v->lead += !v->lead || v->text == text ? 1U : UINT32_MAX;
	}
	for (uint32_t i = 0; votes && i < p->s->n; i++) {
		if (l->instance[i] == LAYER_NONE)
			continue;
		struct module_position_vote *v = &votes[l->place[i]];
		v->all++;
		v->votes += v->text ==
			    p->text_of[layer_modules_position_mark_of(p, i)];
	}
	return votes;
}

static const char *layer_modules_position_word_of(
	const struct module_position_placer *p, uint32_t mark)
{
	return module_mark_word(p->m, mark);
}

/* Returns whether a launch does something else than its module: for example the
 * quantization or the sum over ranks in a projection's module, or the key and
 * value store in attention's module. */
static bool layer_modules_position_does_else(const struct module_position_placer
						     *p,
	uint32_t item, layer_roles roles)
{
	static const layer_roles own =
		ROLE_BIT(KV_STORE) | ROLE_BIT(ROPE) | ROLE_BIT(TOPK) |
		ROLE_BIT(DISPATCH) | ROLE_BIT(COMBINE) | ROLE_BIT(QUANTIZE) |
		ROLE_BIT(ALL_REDUCE) | ROLE_BIT(COLLECTIVE);
	const struct attributed *is = p->s->items[item].is;
	struct layer_word word;

	if (!is || !is->op ||
		!catalog_operator_word(p->s->catalog, is->op->name, &word))
		return false;
	layer_roles does = word.roles ? word.roles : word.also;
	return does && !(does & ~own) && !(does & roles);
}

/* Looks up the roles and the block of a module in the catalog, by its name and
 * the modules around it. */
static void layer_modules_position_word(const struct module_position_placer *p,
	uint32_t mark, struct layer_place *to)
{
	const struct module_mark *x = &p->m->marks[mark];
	const char *parents[PARENTS_MOST];
	struct module_at at = { .parents = parents,
		.ordinal = p->stacks->ordinal[mark],
		.siblings = p->stacks->siblings[mark] };
	struct layer_word word;

	if (x->class_name)
		at.class_name = layer_modules_position_word_of(p, mark);
	else
		at.name = layer_modules_position_word_of(p, mark);
	for (uint32_t up = x->parent; up && at.parents_n < PARENTS_MOST;
		up = p->m->marks[up].parent) {
		bool layer = p->stacks->layer_of[up] == up;
		parents[at.parents_n++] =
			layer ? "layer" : layer_modules_position_word_of(p, up);
		if (layer)
			break;
	}
	if (!catalog_module_word(p->s->catalog, &at, &word))
		return;
	to->roles = word.roles;
	to->block = word.block;
}

/* Fills module, roles and block of l->places if most launches at a position
 * have the same module. The module's path begins below the layer; outside of
 * layers it begins at the module that contains the layers. Roles are left out
 * if the operator does something else than the module. Allocates in s->arena.
 * Returns false if it is full. */
static bool layer_modules_places(const struct layer_seq *s,
	const struct module_marks *m, const struct module_stacks *stacks,
	struct layering *l)
{
	struct arena scratch = arena_scratch(s->arena);
	struct module_position_placer p = { .s = s, .m = m, .stacks = stacks };
	struct module_position_vote *votes =
		layer_modules_position_texts(&p, &scratch)
			? layer_modules_position_count(&p, l, &scratch)
			: NULL;

	for (uint32_t i = 0; votes && i < l->places_n; i++) {
		const struct module_position_vote *v = &votes[i];
		struct layer_place *to = &l->places[i];
		if (!v->text || v->votes <= v->all / 2)
			continue;
		to->module = names_text(&p.texts, v->text);
		layer_modules_position_word(&p, v->mark, to);
		if (layer_modules_position_does_else(&p, v->item, to->roles))
			to->roles = 0;
	}
	arena_scratch_release(&scratch, s->arena);
	return votes;
}

/* Layers from the ranges around launches: finds the marks, the layers among
 * them, their visits and their kinds. */

/* The result of one search, with or without annotations. */
struct layer_modules_look {
	struct module_marks marks;
	struct module_stacks stacks;
	struct module_visits visits;
	struct module_kinds kinds;
	double known; /* share of GPU time whose modules are known */
};

/* Returns whether at least half of the passes have two layers. */
static bool layer_modules_repeats(const struct layer_seq *s,
	const struct module_visits *v)
{
	uint32_t passes = 0;

	for (uint32_t i = 1; i < v->n; i++) {
		bool opens =
			i < 2 || v->visits[i - 2].pass != v->visits[i].pass;
		passes += opens && v->visits[i - 1].pass == v->visits[i].pass;
	}
	return passes && passes >= s->passes_n / 2;
}

static const char *layer_modules_too_little(const struct layer_seq *s,
	double known)
{
	const char *why = arena_printf(s->arena,
		"modules are known for only %.0f %% of the GPU time, too little "
		"to find layers",
		known * 100);
	return why ? why : "";
}

/* Searches for layers. If there are none, out->why is the reason. */
static bool layer_modules_find(const struct layer_seq *s, const char *range,
	bool ranges, struct layer_modules_look *k, struct layering *out)
{
	struct module_marks *m = &k->marks;

	if (!module_stacks_from(s, range, ranges, m, &k->stacks))
		return false;
	int64_t known_ns =
		k->stacks.n && k->stacks.modules ? m->known_ns : m->path_ns;
	k->known = m->gpu_ns ? (double)known_ns / (double)m->gpu_ns : 0;
	if (m->n == 1)
		return true;
	if (!k->stacks.n) {
		out->why = "no modules or numbered ranges around launches "
			   "repeat as layers do";
		return true;
	}
	if (!range && k->known < 0.5) {
		out->why = layer_modules_too_little(s, k->known);
		return !s->arena->full;
	}
	if (!range && k->stacks.time_ns < known_ns / 4) {
		out->why = "the modules that repeat hold less than a quarter "
			   "of the GPU time";
		return true;
	}
	if (!layer_modules_visits_from(s, m, &k->stacks, &k->visits) ||
		!module_kinds_from(s, m, &k->stacks, range, &k->kinds))
		return false;
	if (k->kinds.n > MODULE_KINDS_MOST)
		out->why = "modules around launches give too many kinds of "
			   "layers";
	else if (!k->visits.n ||
		 (!range && !layer_modules_repeats(s, &k->visits)))
		out->why = "modules around launches give only one layer per "
			   "pass";
	else
		out->detector =
			k->stacks.modules ? LAYERS_MODULES : LAYERS_RANGES;
	return true;
}

static bool layer_modules_finish(const struct layer_seq *s,
	struct layer_modules_look *k, struct layering *out)
{
	enum layer_detector detector = out->detector;
	struct layer_cut cut;
	const char *anchor =
		module_mark_word(&k->marks, k->visits.visits[0].mark);

	if (!layer_modules_zones(s, &k->marks, &k->stacks, &k->visits,
		    &k->kinds, &cut) ||
		!layering_align(s, &cut, out) ||
		!layer_modules_places(s, &k->marks, &k->stacks, out))
		return false;
	out->detector = detector;
	out->anchor = anchor;
	out->confidence = k->known * layering_confidence(out, s);
	return true;
}

bool layering_by_ranges(const struct layer_seq *s, const char *range,
	struct layering *out)
{
	static const char front[] = "nn.Module: ";
	struct layer_modules_look k = { 0 };

	if (range && !strncmp(range, front, sizeof front - 1))
		range += sizeof front - 1;
	*out = (struct layering){ 0 };
	if (!layer_modules_find(s, range, false, &k, out))
		return false;
	const char *why = out->why;
	if (out->detector == LAYERS_NONE) {
		k = (struct layer_modules_look){ 0 };
		out->why = NULL;
		if (!layer_modules_find(s, range, true, &k, out))
			return false;
	}
	if (out->detector != LAYERS_NONE) {
		out->why = NULL;
		return layer_modules_finish(s, &k, out);
	}
	if (why)
		out->why = why;
	if (range)
		out->why = arena_printf(s->arena,
			"no range or module around launches is called '%.80s'",
			range);
	else if (!out->why)
		out->why = "no modules or numbered ranges are around "
			   "launches";
	return !s->arena->full;
}

/* layer_stacks.c - stacks told from single layers, then sections numbered. */
#include "layer_stacks.h"

/* What lies between layers of two kinds, and its section. */
struct between {
	uint32_t behind, before, section;
};

struct stacker {
	struct layer_mend m;
	uint32_t kind[LAYER_KINDS_MAX]; /* its section; LAYER_NONE */
	struct between *between;
	uint32_t betweens;
	uint32_t before, after;
	struct layer_cut *out;
};

static uint32_t section(struct stacker *s, enum section_place place)
{
	s->out->sections[s->out->sections_n] =
		(struct layer_section){ .place = place };
	return s->out->sections_n++;
}

/* What is between two stacks, by the kinds on both sides; where there are too
 * many of such, the last one stands for the others. */
static uint32_t between(struct stacker *s, uint32_t i)
{
	const struct layer_reading *r = s->m.r->at;
	uint32_t behind = r[i - 1].kind, before = r[i + 1].kind;
	uint32_t n = s->betweens;

	for (uint32_t k = 0; k < n; k++)
		if (s->between[k].behind == behind &&
			s->between[k].before == before)
			return s->between[k].section;
	if (n == LAYER_KINDS_MAX)
		return s->between[n - 1].section;
	s->between[s->betweens++] =
		(struct between){ behind, before, section(s, SECTION_BETWEEN) };
	return s->between[n].section;
}

/* The section of a reading, made where it is the first of it. */
static uint32_t section_of(struct stacker *s, struct slice p, uint32_t i)
{
	if (layer_mend_is(&s->m, i)) {
		uint32_t *of = &s->kind[s->m.r->at[i].kind];
		if (*of == LAYER_NONE)
			*of = section(s, SECTION_LAYER);
		return *of;
	}
	if (i == p.from)
		return s->before;
	return i + 1 == p.to ? s->after : between(s, i);
}

/* Sections of what a pass has and those before had not, as they come in it. */
static void name_sections(struct stacker *s, struct slice p)
{
	for (uint32_t i = p.from; i < p.to; i++)
		section_of(s, p, i);
}

static bool sections(struct stacker *s)
{
	struct layer_cut *out = s->out;
	uint32_t passes = s->m.l->s->passes_n;

	out->sections = arena_array(s->m.l->s->arena, struct layer_section,
		LAYER_KINDS_MAX * 2 + 2);
	if (!out->sections)
		return false;
	for (uint32_t i = 0; i < LAYER_KINDS_MAX; i++)
		s->kind[i] = LAYER_NONE;
	s->before = section(s, SECTION_BEFORE);
	s->after = LAYER_NONE;
	name_sections(s, s->m.pass[s->m.typical]);
	for (uint32_t p = 0; p < passes; p++)
		name_sections(s, s->m.pass[p]);
	s->after = section(s, SECTION_AFTER);
	return true;
}

/* Items of a pass, all streams, to the instances [from, to) of it: the last one
 * whose first launch on the main stream is no later. */
static void give(struct stacker *s, uint32_t pass, struct slice to,
	const uint32_t *order, struct slice items)
{
	const struct layer_line *l = s->m.l;
	const struct layer_reading *r = s->m.r->at + s->m.pass[pass].from;
	uint32_t at = to.from;

	for (uint32_t i = items.from; i < items.to; i++) {
		uint32_t item = order[i];
		while (at + 1 < to.to &&
			item >= l->item[r[at + 1 - to.from].from])
			at++;
		s->out->instance[item] = at;
	}
}

/* Items by pass; in order within one. */
static bool items_by_pass(const struct layer_seq *s, uint32_t **order,
	struct slice **of, struct arena *a)
{
	*order = arena_array(a, uint32_t, s->n + 1);
	*of = arena_array(a, struct slice, s->passes_n + 1);
	if (!*order || !*of)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			(*of)[s->items[i].pass].to++;
	for (uint32_t p = 0, at = 0; p < s->passes_n; p++) {
		uint32_t n = (*of)[p].to;
		(*of)[p] = (struct slice){ at, at };
		at += n;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (s->items[i].pass != LAYER_NONE)
			(*order)[(*of)[s->items[i].pass].to++] = i;
	return true;
}

/* A pass without launches on the main stream is before all layers. */
static struct slice instances_of(struct stacker *s, uint32_t pass)
{
	struct layer_cut *out = s->out;
	struct slice p = s->m.pass[pass], made = { out->instances_n, 0 };
	uint32_t number = 0;

	for (uint32_t i = p.from; i < p.to; i++)
		out->instances[out->instances_n++] = (struct layer_instance){
			.section = section_of(s, p, i),
			.pass = pass,
			.number = layer_mend_is(&s->m, i) ? number++ : 0,
		};
	if (p.from == p.to)
		out->instances[out->instances_n++] = (struct layer_instance){
			.section = s->before,
			.pass = pass,
		};
	made.to = out->instances_n;
	return made;
}

static bool instances(struct stacker *s, struct arena *a)
{
	const struct layer_seq *q = s->m.l->s;
	struct layer_cut *out = s->out;
	struct slice *of;
	uint32_t *order;

	out->instances = arena_array(q->arena, struct layer_instance,
		s->m.r->n + q->passes_n + 1);
	out->instance = arena_array(q->arena, uint32_t, q->n + 1);
	if (!out->instances || !out->instance ||
		!items_by_pass(q, &order, &of, a))
		return false;
	for (uint32_t i = 0; i < q->n; i++)
		out->instance[i] = LAYER_NONE;
	for (uint32_t p = 0; p < q->passes_n; p++)
		if (of[p].from < of[p].to)
			give(s, p, instances_of(s, p), order, of[p]);
	return true;
}

bool layer_stacks_cut(const struct layer_line *l, const struct layer_kinds *k,
	struct layer_readings *r, struct arena *a, struct layer_cut *out,
	uint32_t *layered)
{
	struct between betweens[LAYER_KINDS_MAX];
	struct stacker s = { .m = { .l = l, .k = k, .r = r },
		.between = betweens,
		.out = out };

	*out = (struct layer_cut){ 0 };
	*layered = 0;
	if (!layer_mend(&s.m, a))
		return false;
	if (s.m.layers[s.m.typical] < 2)
		return true;
	for (uint32_t i = 0; i < r->n; i++)
		if (layer_mend_is(&s.m, i))
			*layered += r->at[i].to - r->at[i].from;
	return sections(&s) && instances(&s, a);
}

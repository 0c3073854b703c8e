/* module_place.c - a vote at each place, then words from the catalogue. */
#include "module_place.h"
#include "layer_words.h"
#include <stdio.h>
#include <string.h>

enum { PARTS_MOST = 8, PART_MOST = 96, PARENTS_MOST = 16 };

struct placer {
	const struct layer_seq *s;
	const struct module_marks *m;
	const struct module_stacks *stacks;
	bool *holds; /* by mark: a layer is in it */
	struct names texts;
	uint32_t *text_of; /* by mark; 0 none */
};

/* What a votes winner is, and how many more votes it has than others. */
struct vote {
	uint32_t text, mark, item, lead, votes, all;
};

static bool ends(const struct placer *p, uint32_t mark)
{
	return !mark || p->stacks->layer_of[mark] == mark || p->holds[mark];
}

/* "Linear[3]", "o_proj"; false where it is too long to be shown. */
static bool part(const struct placer *p, uint32_t mark, char *out, size_t size)
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

/* The path of a mark, of its innermost parts; empty where there is none. */
static bool path(const struct placer *p, uint32_t mark, char *out, size_t size)
{
	uint32_t marks[PARTS_MOST], n = 0;
	size_t len = 0;

	for (; n < PARTS_MOST && !ends(p, mark);
		mark = p->m->marks[mark].parent)
		marks[n++] = mark;
	out[0] = '\0';
	while (n-- > 0) {
		char text[PART_MOST + 32];
		if (!part(p, marks[n], text, sizeof text))
			return false;
		int wrote = snprintf(out + len, size - len, "%s%s",
			len ? "." : "", text);
		len += wrote > 0 ? (size_t)wrote : 0;
		if (len >= size)
			return false;
	}
	return true;
}

static bool texts(struct placer *p, struct arena *scratch)
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
			!path(p, i, text, sizeof text))
			continue;
		p->text_of[i] = names_put(&p->texts, text, strlen(text));
		if (p->text_of[i] == NAMES_NONE)
			return false;
	}
	return true;
}

static uint32_t mark_of(const struct placer *p, uint32_t item)
{
	return p->m->of_frame[p->s->items[item].frame];
}

/* Which text most launches of a place have, if most have one. */
static struct vote *count(const struct placer *p, const struct layering *l,
	struct arena *scratch)
{
	struct vote *votes = arena_grow(scratch, NULL,
		((size_t)l->places_n + 1) * sizeof *votes);

	for (uint32_t i = 0; votes && i < p->s->n; i++) {
		if (l->instance[i] == LAYER_NONE)
			continue;
		struct vote *v = &votes[l->place[i]];
		uint32_t text = p->text_of[mark_of(p, i)];
		if (!v->lead) {
			v->text = text;
			v->mark = mark_of(p, i);
			v->item = i;
		}
		v->lead += !v->lead || v->text == text ? 1U : UINT32_MAX;
	}
	for (uint32_t i = 0; votes && i < p->s->n; i++) {
		if (l->instance[i] == LAYER_NONE)
			continue;
		struct vote *v = &votes[l->place[i]];
		v->all++;
		v->votes += v->text == p->text_of[mark_of(p, i)];
	}
	return votes;
}

static const char *word_of(const struct placer *p, uint32_t mark)
{
	return module_mark_word(p->m, mark);
}

/* Whether a launch does something of its own that its module is not there for: a
 * projection's quantization and sum over ranks, what attention stores. */
static bool does_else(const struct placer *p, uint32_t item, layer_roles roles)
{
	static const layer_roles own =
		ROLE_BIT(KV_STORE) | ROLE_BIT(ROPE) | ROLE_BIT(TOPK) |
		ROLE_BIT(DISPATCH) | ROLE_BIT(COMBINE) | ROLE_BIT(QUANTIZE) |
		ROLE_BIT(ALL_REDUCE) | ROLE_BIT(COLLECTIVE);
	const struct attributed *is = p->s->items[item].is;
	struct layer_word told;

	if (!is || !is->operator|| !catalog_operator_word(p->s->catalog,
			   is->operator->name, &told))
		return false;
	layer_roles does = told.roles ? told.roles : told.also;
	return does && !(does & ~own) && !(does & roles);
}

/* What is known of a module, and of those it is in where it tells no block. */
static void word(const struct placer *p, uint32_t mark, struct layer_place *to)
{
	const struct module_mark *x = &p->m->marks[mark];
	const char *parents[PARENTS_MOST];
	struct module_at at = { .parents = parents,
		.ordinal = p->stacks->ordinal[mark],
		.siblings = p->stacks->siblings[mark] };
	struct layer_word told;

	if (x->class_name)
		at.class_name = word_of(p, mark);
	else
		at.name = word_of(p, mark);
	for (uint32_t up = x->parent; up && at.parents_n < PARENTS_MOST;
		up = p->m->marks[up].parent) {
		bool layer = p->stacks->layer_of[up] == up;
		parents[at.parents_n++] = layer ? "layer" : word_of(p, up);
		if (layer)
			break;
	}
	if (!catalog_module_word(p->s->catalog, &at, &told))
		return;
	to->roles = told.roles;
	to->block = told.block;
}

bool module_places(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *stacks, struct layering *l)
{
	struct arena scratch = arena_scratch(s->arena);
	struct placer p = { .s = s, .m = m, .stacks = stacks };
	struct vote *votes =
		texts(&p, &scratch) ? count(&p, l, &scratch) : NULL;

	for (uint32_t i = 0; votes && i < l->places_n; i++) {
		const struct vote *v = &votes[i];
		struct layer_place *to = &l->places[i];
		if (!v->text || v->votes <= v->all / 2)
			continue;
		to->module = names_text(&p.texts, v->text);
		word(&p, v->mark, to);
		if (does_else(&p, v->item, to->roles))
			to->roles = 0;
	}
	arena_scratch_release(&scratch, s->arena);
	return votes;
}

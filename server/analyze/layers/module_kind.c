/* module_kind.c - sets of what is in layers; near ones are of a kind. */
#include "module_kind.h"
#include "module_content.h"
#include <stdlib.h>
#include <string.h>

enum { NEAR_MOST = 64 }; /* sets of a class that are laid side by side */

struct sorter {
	struct module_content c;
	struct module_kinds *out;
};

static uint32_t stack_of(const struct sorter *k, uint32_t layer)
{
	return module_stack_of(k->c.m, k->c.l, layer);
}

static bool near(const struct sorter *k, const struct module_set *a,
	const struct module_set *b)
{
	uint32_t most;
	int64_t more = module_content_only(&k->c, a, b, &most),
		less = module_content_only(&k->c, b, a, &most);

	return (more * 5 < a->total_ns && less * 5 < b->total_ns) ||
	       (a->members == 1 && a->edge && more == 0);
}

static bool same_class(const struct sorter *k, const struct module_set *a,
	const struct module_set *b)
{
	const struct module_mark *x = &k->c.m->marks[a->layer];
	const struct module_mark *y = &k->c.m->marks[b->layer];
	return stack_of(k, a->layer) == stack_of(k, b->layer) &&
	       x->word == y->word;
}

struct ordered {
	uint32_t parent, word, set;
	int64_t members;
};

static int by_members(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;
	const int64_t x[] = { a->parent, a->word, b->members, a->set };
	const int64_t y[] = { b->parent, b->word, a->members, b->set };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* The first and last layers of each stack. */
static void edges(struct sorter *k, uint32_t *first, uint32_t *last)
{
	const struct module_mark *marks = k->c.m->marks;

	for (uint32_t i = 1; i < k->c.m->n; i++) {
		uint32_t up = stack_of(k, i);
		if (k->c.l->layer_of[i] != i || marks[i].first == LAYER_NONE)
			continue;
		if (!first[up] || marks[i].first < marks[first[up]].first)
			first[up] = i;
		if (!last[up] || marks[i].first > marks[last[up]].first)
			last[up] = i;
	}
	for (uint32_t i = 0; i < k->c.sets_n; i++) {
		struct module_set *t = &k->c.sets[i];
		uint32_t up = stack_of(k, t->layer);
		t->edge = t->layer == first[up] || t->layer == last[up];
	}
}

/* Sets of a class, those of most layers first: each goes to the first kind that
 * is near. */
static void join_kinds(struct sorter *k, struct ordered *order)
{
	uint32_t n = k->c.sets_n, begin = 0;
	struct module_kinds *out = k->out;

	for (uint32_t i = 0; i < n; i++) {
		const struct module_set *t = &k->c.sets[i];
		order[i] = (struct ordered){ stack_of(k, t->layer),
			k->c.m->marks[t->layer].word, i, t->members };
	}
	qsort(order, n, sizeof *order, by_members);
	for (uint32_t i = 0; i < n; i++) {
		struct module_set *t = &k->c.sets[order[i].set];
		if (i && !same_class(k, t, &k->c.sets[order[i - 1].set]))
			begin = out->n;
		bool crowded = out->n - begin >= NEAR_MOST;
		t->kind = out->n;
		for (uint32_t j = begin; j < out->n; j++) {
			const struct module_set *other =
				&k->c.sets[k->c.set_of[out->kinds[j].layer]];
			if (crowded || near(k, t, other)) {
				t->kind = j;
				break;
			}
		}
		if (t->kind == out->n)
			out->kinds[out->n++] =
				(struct module_kind){ .stack = order[i].parent,
					.layer = t->layer };
	}
}

/* What each kind has that the first other of its class has not. */
static void differences(struct sorter *k, bool named)
{
	struct module_kinds *out = k->out;

	for (uint32_t i = 0; i < out->n; i++) {
		struct module_kind *x = &out->kinds[i];
		const struct module_mark *layer = &k->c.m->marks[x->layer];
		if (named || layer->class_name)
			x->name = module_mark_word(k->c.m, x->layer);
		for (uint32_t j = 0; j < out->n && !x->differs; j++) {
			const struct module_set *a =
				&k->c.sets[k->c.set_of[x->layer]];
			const struct module_set *b =
				&k->c.sets[k->c.set_of[out->kinds[j].layer]];
			uint32_t most = 0;
			struct module_rel r;
			if (j == i || !same_class(k, a, b))
				continue;
			module_content_only(&k->c, a, b, &most);
			if (!most)
				continue;
			memcpy(&r, names_text(&k->c.rels, most), sizeof r);
			x->differs = names_text(&k->c.m->words, r.word);
		}
	}
}

bool module_kinds_from(const struct layer_seq *s, const struct module_marks *m,
	const struct module_stacks *l, bool named, struct module_kinds *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct sorter k = { .out = out };
	size_t n = (size_t)m->n + 1;

	*out = (struct module_kinds){
		.of = arena_array(s->arena, uint32_t, n),
		.kinds = arena_array(s->arena, struct module_kind, n),
	};
	uint32_t *first = arena_grow(&scratch, NULL, n * sizeof *first);
	uint32_t *last = arena_grow(&scratch, NULL, n * sizeof *last);
	struct ordered *order = arena_grow(&scratch, NULL, n * sizeof *order);
	bool ok = out->of && out->kinds && first && last && order &&
		  module_content_from(&k.c, m, l, &scratch);
	if (ok) {
		edges(&k, first, last);
		join_kinds(&k, order);
		for (uint32_t i = 1; i < m->n; i++)
			if (l->layer_of[i] == i &&
				m->marks[i].first != LAYER_NONE)
				out->of[i] = k.c.sets[k.c.set_of[i]].kind;
		if (out->n <= MODULE_KINDS_MOST)
			differences(&k, named);
	}
	arena_scratch_release(&scratch, s->arena);
	return ok;
}

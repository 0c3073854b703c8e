/* module_kind.c - distinguishes kinds of layers by their modules. */
#include "module_kind.h"
#include "module_stack.h"
#include <stdlib.h>
#include <string.h>

/* The content of layers, as sets that can be compared. A set's members are the
 * classes and attributes below the layer, by their path without numbers; layers
 * with equal sets share one. */

/* A module's name from the layer on. It is hashed as bytes, so it has no
 * padding. */
struct module_rel {
	uint32_t up, word, class_name;
};

/* A layer has it. */
struct module_has {
	uint32_t layer, rel;
	int64_t self_ns, time_ns;
};

/* Layers with the same set, and the sum of their times. */
struct module_set {
	uint32_t layer; /* the first of them */
	uint32_t from, n; /* in `has` */
	int64_t members, total_ns;
	bool edge; /* its layer is the first or last of the stack */
	uint32_t kind;
};

struct module_content {
	const struct module_marks *m;
	const struct module_stacks *l;
	struct names rels; /* struct module_rel; id 0: the layer itself */
	struct names keys; /* sets: id - 1 in `sets` */
	struct module_has *has;
	struct module_set *sets;
	uint32_t has_n, sets_n;
	uint32_t *rel_of; /* by mark */
	uint32_t *set_of; /* by mark of a layer */
};

static int module_kind_content_by_layer(const void *left, const void *right)
{
	const struct module_has *a = left, *b = right;

	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	return a->rel < b->rel ? -1 : a->rel > b->rel;
}

/* Lists what is in layers and launched something, once per layer. */
static bool module_kind_content_list(struct module_content *c)
{
	for (uint32_t i = 1; i < c->m->n; i++) {
		const struct module_mark *x = &c->m->marks[i];
		uint32_t layer = c->l->layer_of[i];
		if (!layer || x->first == LAYER_NONE)
			continue;
		struct module_rel r = { c->rel_of[x->parent], x->word,
			x->class_name };
		if (layer != i)
			c->rel_of[i] =
				names_put(&c->rels, (const char *)&r, sizeof r);
		if (c->rel_of[i] == NAMES_NONE)
			return false;
		c->has[c->has_n++] = (struct module_has){ layer, c->rel_of[i],
			x->self_ns, x->time_ns };
	}
	qsort(c->has, c->has_n, sizeof *c->has, module_kind_content_by_layer);
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->has_n; i++) {
		struct module_has *h = &c->has[i];
		if (n && !module_kind_content_by_layer(h, &c->has[n - 1])) {
			c->has[n - 1].self_ns += h->self_ns;
			c->has[n - 1].time_ns += h->time_ns;
		} else {
			c->has[n++] = *h;
		}
	}
	c->has_n = n;
	return true;
}

static bool module_kind_content_join_set(struct module_content *c,
	uint32_t from, uint32_t n, uint32_t *key)
{
	uint32_t layer = c->has[from].layer;
	const struct module_mark *x = &c->m->marks[layer];
	uint32_t known = c->keys.n;

	key[0] = module_stack_of(c->m, c->l, layer);
	key[1] = x->word;
	for (uint32_t i = 0; i < n; i++)
		key[2 + i] = c->has[from + i].rel;
	uint32_t id = names_put(&c->keys, (const char *)key,
		(2 + (size_t)n) * sizeof *key);
	if (id == NAMES_NONE)
		return false;
	struct module_set *t = &c->sets[id - 1];
	if (id == known)
		*t = (struct module_set){ .layer = layer,
			.from = from,
			.n = n };
	t->members++;
	for (uint32_t i = 0; i < n; i++) {
		t->total_ns += c->has[from + i].self_ns;
		if (id == known)
			continue;
		c->has[t->from + i].self_ns += c->has[from + i].self_ns;
		c->has[t->from + i].time_ns += c->has[from + i].time_ns;
	}
	c->set_of[layer] = id - 1;
	c->sets_n = c->keys.n - 1;
	return true;
}

static bool module_kind_content_join_sets(struct module_content *c,
	struct arena *scratch)
{
	uint32_t *key =
		arena_grow(scratch, NULL, ((size_t)c->has_n + 2) * sizeof *key);

	if (!key)
		return false;
	for (uint32_t i = 0, n; i < c->has_n; i += n) {
		for (n = 1; i + n < c->has_n &&
			    c->has[i + n].layer == c->has[i].layer;
			n++)
			;
		if (!module_kind_content_join_set(c, i, n, key))
			return false;
	}
	return true;
}

/* Returns the time of what `a` has and `b` has not; *most is the one that takes
 * longest. */
static int64_t module_kind_content_only(const struct module_content *c,
	const struct module_set *a, const struct module_set *b, uint32_t *most)
{
	int64_t only_ns = 0, most_ns = -1;
	uint32_t at = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct module_has *h = &c->has[a->from + i];
		while (at < b->n && c->has[b->from + at].rel < h->rel)
			at++;
		if (at < b->n && c->has[b->from + at].rel == h->rel)
			continue;
		only_ns += h->self_ns;
		if (h->time_ns > most_ns) {
			most_ns = h->time_ns;
			*most = h->rel;
		}
	}
	return only_ns;
}

/* All is allocated in the scratch arena. Returns false if it is full. */
static bool module_kind_content_from(struct module_content *c,
	const struct module_marks *m, const struct module_stacks *l,
	struct arena *scratch)
{
	size_t n = (size_t)m->n + 1;

	*c = (struct module_content){ .m = m, .l = l };
	c->rel_of = arena_grow(scratch, NULL, n * sizeof *c->rel_of);
	c->has = arena_grow(scratch, NULL, n * sizeof *c->has);
	c->sets = arena_grow(scratch, NULL, n * sizeof *c->sets);
	c->set_of = arena_grow(scratch, NULL, n * sizeof *c->set_of);
	return c->rel_of && c->has && c->sets && c->set_of &&
	       names_init(&c->rels, scratch) && names_init(&c->keys, scratch) &&
	       module_kind_content_list(c) &&
	       module_kind_content_join_sets(c, scratch);
}

/* Kinds: sets that are near each other are one kind. */

enum { NEAR_MOST = 64 }; /* sets of a class that are compared, at most */

struct module_kind_sorter {
	struct module_content c;
	struct module_kinds *out;
};

static uint32_t module_kind_stack_of(const struct module_kind_sorter *k,
	uint32_t layer)
{
	return module_stack_of(k->c.m, k->c.l, layer);
}

static bool module_kind_near(const struct module_kind_sorter *k,
	const struct module_set *a, const struct module_set *b)
{
	uint32_t most;
	int64_t more = module_kind_content_only(&k->c, a, b, &most),
		less = module_kind_content_only(&k->c, b, a, &most);

	return (more * 5 < a->total_ns && less * 5 < b->total_ns) ||
	       (a->members == 1 && a->edge && more == 0);
}

static bool module_kind_same_class(const struct module_kind_sorter *k,
	const struct module_set *a, const struct module_set *b)
{
	const struct module_mark *x = &k->c.m->marks[a->layer];
	const struct module_mark *y = &k->c.m->marks[b->layer];
	return module_kind_stack_of(k, a->layer) ==
		       module_kind_stack_of(k, b->layer) &&
	       x->word == y->word;
}

struct module_kind_ordered {
	uint32_t parent, word, set;
	int64_t members;
};

static int module_kind_by_members(const void *left, const void *right)
{
	const struct module_kind_ordered *a = left, *b = right;
	const int64_t x[] = { a->parent, a->word, b->members, a->set };
	const int64_t y[] = { b->parent, b->word, a->members, b->set };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* Finds the first and last layers of each stack. */
static void module_kind_edges(struct module_kind_sorter *k, uint32_t *first,
	uint32_t *last)
{
	const struct module_mark *marks = k->c.m->marks;

	for (uint32_t i = 1; i < k->c.m->n; i++) {
		uint32_t up = module_kind_stack_of(k, i);
		if (k->c.l->layer_of[i] != i || marks[i].first == LAYER_NONE)
			continue;
		if (!first[up] || marks[i].first < marks[first[up]].first)
			first[up] = i;
		if (!last[up] || marks[i].first > marks[last[up]].first)
			last[up] = i;
	}
	for (uint32_t i = 0; i < k->c.sets_n; i++) {
		struct module_set *t = &k->c.sets[i];
		uint32_t up = module_kind_stack_of(k, t->layer);
		t->edge = t->layer == first[up] || t->layer == last[up];
	}
}

/* Joins the sets of a class, those with most layers first, to the first kind
 * that is near. */
static void module_kind_join_kinds(struct module_kind_sorter *k,
	struct module_kind_ordered *order)
{
	uint32_t n = k->c.sets_n, begin = 0;
	struct module_kinds *out = k->out;

	for (uint32_t i = 0; i < n; i++) {
		const struct module_set *t = &k->c.sets[i];
		order[i] = (struct module_kind_ordered){ module_kind_stack_of(k,
								 t->layer),
			k->c.m->marks[t->layer].word, i, t->members };
	}
	qsort(order, n, sizeof *order, module_kind_by_members);
	for (uint32_t i = 0; i < n; i++) {
		struct module_set *t = &k->c.sets[order[i].set];
		if (i && !module_kind_same_class(k, t,
				 &k->c.sets[order[i - 1].set]))
			begin = out->n;
		bool crowded = out->n - begin >= NEAR_MOST;
		t->kind = out->n;
		for (uint32_t j = begin; j < out->n; j++) {
			const struct module_set *other =
				&k->c.sets[k->c.set_of[out->kinds[j].layer]];
			if (crowded || module_kind_near(k, t, other)) {
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

/* Finds what each kind has and the first other kind of its class has not. */
static void module_kind_differences(struct module_kind_sorter *k, bool named)
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
			if (j == i || !module_kind_same_class(k, a, b))
				continue;
			module_kind_content_only(&k->c, a, b, &most);
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
	struct module_kind_sorter k = { .out = out };
	size_t n = (size_t)m->n + 1;

	*out = (struct module_kinds){
		.of = arena_array(s->arena, uint32_t, n),
		.kinds = arena_array(s->arena, struct module_kind, n),
	};
	uint32_t *first = arena_grow(&scratch, NULL, n * sizeof *first);
	uint32_t *last = arena_grow(&scratch, NULL, n * sizeof *last);
	struct module_kind_ordered *order =
		arena_grow(&scratch, NULL, n * sizeof *order);
	bool ok = out->of && out->kinds && first && last && order &&
		  module_kind_content_from(&k.c, m, l, &scratch);
	if (ok) {
		module_kind_edges(&k, first, last);
		module_kind_join_kinds(&k, order);
		for (uint32_t i = 1; i < m->n; i++)
			if (l->layer_of[i] == i &&
				m->marks[i].first != LAYER_NONE)
				out->of[i] = k.c.sets[k.c.set_of[i]].kind;
		if (out->n <= MODULE_KINDS_MOST)
			module_kind_differences(&k, named);
	}
	arena_scratch_release(&scratch, s->arena);
	return ok;
}

/* Names: modules around stacks are compared from the inside outward. */

enum { CLIMB_MOST = 8, NAMED_MOST = 64 };

static bool module_kind_same_name(const struct module_kind *a,
	const struct module_kind *b)
{
	return a != b && a->name && b->name && !strcmp(a->name, b->name);
}

static uint32_t module_kind_name_climb(const struct module_marks *m,
	uint32_t mark, int steps)
{
	while (steps-- > 0)
		mark = m->marks[mark].parent;
	return mark;
}

/* Returns whether no stack of a kind with the same name has such a module at
 * this distance. */
static bool module_kind_name_alone(const struct module_marks *m,
	const struct module_kinds *k, const struct module_kind *a, int steps,
	bool numbers)
{
	const struct module_mark *x =
		&m->marks[module_kind_name_climb(m, a->stack, steps)];

	for (uint32_t i = 0; i < k->n; i++) {
		const struct module_kind *b = &k->kinds[i];
		if (!module_kind_same_name(a, b) || b->stack == a->stack)
			continue;
		const struct module_mark *y =
			&m->marks[module_kind_name_climb(m, b->stack, steps)];
		if (x->word == y->word && (!numbers || x->number == y->number))
			return false;
	}
	return true;
}

static const char *module_kind_name_around(const struct layer_seq *s,
	const struct module_marks *m, const struct module_kinds *k,
	const struct module_kind *a)
{
	for (int steps = 0; steps < 2 * CLIMB_MOST; steps++) {
		bool numbers = steps >= CLIMB_MOST;
		uint32_t at =
			module_kind_name_climb(m, a->stack, steps % CLIMB_MOST);
		if (!at || !module_kind_name_alone(m, k, a, steps % CLIMB_MOST,
				   numbers))
			continue;
		const struct module_mark *x = &m->marks[at];
		const char *word = module_mark_word(m, at);
		return numbers && x->number >= 0
			       ? arena_printf(s->arena, "%s[%lld]", word,
					 (long long)x->number)
			       : word;
	}
	return NULL;
}

static const char *module_kind_name_name(const struct layer_seq *s,
	const struct module_marks *m, const struct module_kinds *k,
	const struct module_kind *a)
{
	const char *name = a->name, *where = NULL;
	bool within = false, elsewhere = false;

	for (uint32_t i = 0; i < k->n; i++) {
		const struct module_kind *b = &k->kinds[i];
		within |= module_kind_same_name(a, b) && b->stack == a->stack;
		elsewhere |=
			module_kind_same_name(a, b) && b->stack != a->stack;
	}
	if (elsewhere)
		where = module_kind_name_around(s, m, k, a);
	if (where)
		name = arena_printf(s->arena, "%s %s", where, name);
	if (within && a->differs && name)
		name = arena_printf(s->arena, "%s (%s)", name, a->differs);
	return name;
}

bool module_kind_names(const struct layer_seq *s, const struct module_marks *m,
	struct module_kinds *k)
{
	const char *names[NAMED_MOST];

	if (k->n > NAMED_MOST)
		return true;
	for (uint32_t i = 0; i < k->n; i++)
		names[i] = module_kind_name_name(s, m, k, &k->kinds[i]);
	for (uint32_t i = 0; i < k->n; i++)
		k->kinds[i].name = names[i];
	return !s->arena->full;
}

/* module_content.c - what is in each layer in order, equal sets once. */
#include "module_content.h"
#include <stdlib.h>

static int by_layer(const void *left, const void *right)
{
	const struct module_has *a = left, *b = right;

	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	return a->rel < b->rel ? -1 : a->rel > b->rel;
}

/* All that is in layers and launched something, each once a layer. */
static bool list(struct module_content *c)
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
	qsort(c->has, c->has_n, sizeof *c->has, by_layer);
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->has_n; i++) {
		struct module_has *h = &c->has[i];
		if (n && !by_layer(h, &c->has[n - 1])) {
			c->has[n - 1].self_ns += h->self_ns;
			c->has[n - 1].time_ns += h->time_ns;
		} else {
			c->has[n++] = *h;
		}
	}
	c->has_n = n;
	return true;
}

static bool join_set(struct module_content *c, uint32_t from, uint32_t n,
	uint32_t *key)
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

static bool join_sets(struct module_content *c, struct arena *scratch)
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
		if (!join_set(c, i, n, key))
			return false;
	}
	return true;
}

int64_t module_content_only(const struct module_content *c,
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

bool module_content_from(struct module_content *c, const struct module_marks *m,
	const struct module_stacks *l, struct arena *scratch)
{
	size_t n = (size_t)m->n + 1;

	*c = (struct module_content){ .m = m, .l = l };
	c->rel_of = arena_grow(scratch, NULL, n * sizeof *c->rel_of);
	c->has = arena_grow(scratch, NULL, n * sizeof *c->has);
	c->sets = arena_grow(scratch, NULL, n * sizeof *c->sets);
	c->set_of = arena_grow(scratch, NULL, n * sizeof *c->set_of);
	return c->rel_of && c->has && c->sets && c->set_of &&
	       names_init(&c->rels, scratch) && names_init(&c->keys, scratch) &&
	       list(c) && join_sets(c, scratch);
}

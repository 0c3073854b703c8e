/* cycle_works.c - items counted stratum by stratum, sorted, and cut off. */
#include "cycle_works.h"
#include <stdlib.h>
#include <string.h>

struct maker {
	const struct trace *t;
	struct profile *p;
	struct arena *a;
	struct work *found; /* of a stratum and kind */
	uint32_t *count; /* by item */
	uint32_t *order, *from; /* kept cycles, stratum by stratum */
	uint32_t cap; /* of p->cycles.works */
};

/* Kept cycles in order of their strata. */
static bool by_stratum(struct maker *m)
{
	const struct cycles *c = &m->p->cycles;

	m->from = arena_grow(m->a, NULL,
		((size_t)c->strata_n + 2) * sizeof *m->from);
	m->order =
		arena_grow(m->a, NULL, ((size_t)c->n + 1) * sizeof *m->order);
	if (!m->from || !m->order)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->cycles[i].use == CYCLE_KEPT)
			m->from[c->cycles[i].stratum + 2]++;
	for (uint32_t s = 0; s < c->strata_n; s++)
		m->from[s + 2] += m->from[s + 1];
	for (uint32_t i = 0; i < c->n; i++)
		if (c->cycles[i].use == CYCLE_KEPT)
			m->order[m->from[c->cycles[i].stratum + 1]++] = i;
	return true;
}

static int most_first(const void *left, const void *right)
{
	const struct work *a = left, *b = right;

	if (a->per_cycle > b->per_cycle || a->per_cycle < b->per_cycle)
		return a->per_cycle > b->per_cycle ? -1 : 1;
	int names = strcmp(a->name, b->name);
	return names ? names : strcmp(a->size, b->size);
}

static bool append(struct maker *m, uint32_t n)
{
	struct cycles *c = &m->p->cycles;

	if (n == 0)
		return true;
	if (c->works_n + n > m->cap) {
		uint32_t cap = (c->works_n + n) * 2;
		struct work *grown =
			arena_grow(m->p->arena, c->works, cap * sizeof *grown);
		if (!grown)
			return false;
		c->works = grown;
		m->cap = cap;
	}
	memcpy(c->works + c->works_n, m->found, n * sizeof *m->found);
	c->works_n += n;
	return true;
}

static const char *name_of(const struct maker *m, const struct cycle_items *x,
	struct cycle_item key)
{
	return x->kind == WORK_OP ? names_text(&m->t->names, key.name)
				  : m->p->kernels[key.name].name;
}

/* What is counted of a stratum, as works; sizes lie in the profile's arena. */
static bool gather(struct maker *m, const struct cycle_items *x,
	uint32_t stratum, uint32_t *n)
{
	uint32_t cycles = m->from[stratum + 1] - m->from[stratum];

	*n = 0;
	for (uint32_t k = m->from[stratum]; k < m->from[stratum + 1]; k++) {
		uint32_t c = m->order[k];
		for (uint32_t i = x->from[c]; i < x->from[c + 1]; i++) {
			uint32_t item = x->entry[i], times = m->count[item];
			struct cycle_item key = cycle_items_at(x, item);
			m->count[item] = 0;
			if (!times || !key.size)
				continue;
			m->found[*n] = (struct work){ .stratum = stratum,
				.kind = x->kind,
				.name = name_of(m, x, key),
				.size = cycle_items_size(x, m->t, item, m->a),
				.per_cycle = (double)times / cycles };
			if (!m->found[(*n)++].size)
				return false;
		}
	}
	return true;
}

static bool of_stratum(struct maker *m, const struct cycle_items *x,
	uint32_t stratum)
{
	uint32_t n;

	for (uint32_t k = m->from[stratum]; k < m->from[stratum + 1]; k++)
		for (uint32_t i = x->from[m->order[k]];
			i < x->from[m->order[k] + 1]; i++)
			m->count[x->entry[i]]++;
	if (!gather(m, x, stratum, &n))
		return false;
	qsort(m->found, n, sizeof *m->found, most_first);
	n = n > CYCLES_WORKS_MAX ? CYCLES_WORKS_MAX : n;
	for (uint32_t i = 0; i < n && x->kind == WORK_GRID; i++) {
		m->found[i].size = arena_strdup(m->p->arena, m->found[i].size);
		if (!m->found[i].size)
			return false;
	}
	return append(m, n);
}

bool cycle_works_make(const struct cycle_items *ops,
	const struct cycle_items *grids, const struct trace *t,
	struct profile *p, struct arena *a)
{
	struct maker m = { .t = t, .p = p, .a = a };
	size_t most = (ops->n > grids->n ? ops->n : grids->n) + (size_t)1;

	m.found = arena_grow(a, NULL, most * sizeof *m.found);
	m.count = arena_grow(a, NULL, most * sizeof *m.count);
	if (!m.found || !m.count || !by_stratum(&m))
		return false;
	for (uint32_t s = 0; s < p->cycles.strata_n; s++)
		if (!of_stratum(&m, ops, s) || !of_stratum(&m, grids, s))
			return false;
	return true;
}

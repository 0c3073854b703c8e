/* breakdown_identity.c - which kernels of several runs are the same, although
 * their names may differ. */
#include "breakdown_compare.h"
#include "names.h"
#include <string.h>

enum { IDENTITY_NONE = UINT32_MAX };

/* A node is a kernel of a side. Nodes of one set are the same kernel. */
struct breakdown_identity_maker {
	const struct breakdown_compare_side *sides;
	uint32_t sides_n;
	struct arena *a;
	struct names names;
	uint32_t n, from[BREAKDOWN_COMPARE_MAX + 1]; /* first node of a side */
	uint32_t *parent; /* by node */
	uint32_t *name; /* by node: id of its name */
	uint32_t *node[BREAKDOWN_COMPARE_MAX]; /* by id of a name */
	uint8_t *
		taken; /* by node of the first side, then by those of the current
		side: whether an identity names it */
	struct breakdown_identities *out;
};

static uint32_t breakdown_identity_root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void breakdown_identity_join(struct breakdown_identity_maker *m,
	uint32_t i, uint32_t j)
{
	i = breakdown_identity_root(m->parent, i);
	j = breakdown_identity_root(m->parent, j);
	m->parent[i > j ? i : j] = i > j ? j : i;
}

static uint32_t breakdown_identity_kernels(const struct breakdown *b)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->rows_n; i++)
		if (b->rows[i].kernel != ROW_NO_KERNEL &&
			b->rows[i].kernel >= n)
			n = b->rows[i].kernel + 1;
	return n;
}

/* Numbers the nodes, and finds the node of each name on each side. */
static bool breakdown_identity_nodes(struct breakdown_identity_maker *m)
{
	for (uint32_t s = 0; s < m->sides_n; s++) {
		m->from[s] = m->n;
		m->n += breakdown_identity_kernels(m->sides[s].breakdown);
	}
	m->from[m->sides_n] = m->n;
	size_t room = (size_t)m->n + 1;
	m->parent = arena_grow(m->a, NULL, room * sizeof *m->parent);
	m->name = arena_grow(m->a, NULL, room * sizeof *m->name);
	m->taken = arena_grow(m->a, NULL, room);
	if (!m->parent || !m->name || !m->taken || !names_init(&m->names, m->a))
		return false;
	for (uint32_t s = 0; s < m->sides_n; s++)
		for (uint32_t i = m->from[s]; i < m->from[s + 1]; i++) {
			const char *is = m->sides[s].kernels[i - m->from[s]];
			m->parent[i] = i;
			m->name[i] = names_put(&m->names, is, strlen(is));
			if (m->name[i] == NAMES_NONE)
				return false;
		}
	size_t words = (size_t)m->names.n + 1;
	for (uint32_t s = 0; s < m->sides_n; s++) {
		m->node[s] = arena_grow(m->a, NULL, words * sizeof *m->node[s]);
		if (!m->node[s])
			return false;
		memset(m->node[s], 0xff, words * sizeof *m->node[s]);
		for (uint32_t i = m->from[s]; i < m->from[s + 1]; i++) {
			uint32_t *node = &m->node[s][m->name[i]];
			*node = *node == IDENTITY_NONE ? i : *node;
			m->parent[i] = *node; /* kernels of one name are one */
		}
	}
	return true;
}

static uint32_t breakdown_identity_node(const struct breakdown_identity_maker
						*m,
	uint32_t side, const char *name)
{
	uint32_t id = names_find(&m->names, name, strlen(name));
	return id == NAMES_NONE ? IDENTITY_NONE : m->node[side][id];
}

/* Joins the nodes of an identity of a side. */
static void breakdown_identity_add(struct breakdown_identity_maker *m,
	uint32_t side, const struct kernel_identity *is)
{
	uint32_t first = IDENTITY_NONE;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < is->names_n[k]; i++) {
			uint32_t node = breakdown_identity_node(m, k ? side : 0,
				is->names[k][i]);
			if (node == IDENTITY_NONE)
				continue;
			m->taken[node] = 1;
			if (k)
				m->out->by[side][node - m->from[side]] = is;
			if (first == IDENTITY_NONE)
				first = node;
			else
				breakdown_identity_join(m, first, node);
		}
}

/* Joins a side's kernels with those of the first side, then what is left with
 * kernels of the same name on the sides before it. */
static void breakdown_identity_side(struct breakdown_identity_maker *m,
	uint32_t s)
{
	memset(m->taken, 0, m->n);
	for (uint32_t i = 0; i < m->sides[s].same_n; i++)
		breakdown_identity_add(m, s, &m->sides[s].same[i]);
	for (uint32_t i = m->from[s]; i < m->from[s + 1]; i++) {
		uint32_t first = m->node[0][m->name[i]], before = IDENTITY_NONE;
		if (m->taken[i])
			continue;
		if (first != IDENTITY_NONE) {
			if (!m->taken[first])
				breakdown_identity_join(m, first, i);
			continue;
		}
		for (uint32_t t = 1; t < s && before == IDENTITY_NONE; t++) {
			uint32_t node = m->node[t][m->name[i]];
			if (node != IDENTITY_NONE &&
				!m->out->by[t][node - m->from[t]])
				before = node;
		}
		if (before != IDENTITY_NONE)
			breakdown_identity_join(m, before, i);
	}
}

static bool breakdown_identity_room(struct breakdown_identity_maker *m)
{
	struct breakdown_identities *out = m->out;
	out->n = m->n;
	out->several = arena_array(m->a, bool, (size_t)m->n + 1);
	bool ok = out->several;
	for (uint32_t s = 0; s < m->sides_n; s++) {
		size_t n = (size_t)(m->from[s + 1] - m->from[s]) + 1;
		out->number[s] = arena_array(m->a, uint32_t, n);
		out->by[s] =
			arena_array(m->a, const struct kernel_identity *, n);
		ok = ok && out->number[s] && out->by[s];
	}
	return ok;
}

static bool breakdown_identity_number(struct breakdown_identity_maker *m)
{
	uint32_t *seen =
		arena_grow(m->a, NULL, ((size_t)m->n + 1) * sizeof *seen);
	if (!seen)
		return false;
	for (uint32_t s = 0; s < m->sides_n; s++)
		for (uint32_t i = m->from[s]; i < m->from[s + 1]; i++) {
			uint32_t root = breakdown_identity_root(m->parent, i);
			m->out->number[s][i - m->from[s]] = root;
			if (m->node[s][m->name[i]] != i)
				continue;
			m->out->several[root] |= seen[root] == s + 1;
			seen[root] = s + 1;
		}
	arena_drop(m->a, seen);
	return true;
}

bool breakdown_identities_from(const struct breakdown_compare_side *sides,
	uint32_t sides_n, struct arena *a, struct breakdown_identities *out)
{
	struct breakdown_identity_maker m = { .sides = sides,
		.sides_n = sides_n,
		.a = a,
		.out = out };
	*out = (struct breakdown_identities){ 0 };
	bool ok = breakdown_identity_nodes(&m) && breakdown_identity_room(&m);
	for (uint32_t s = 1; ok && s < sides_n; s++)
		breakdown_identity_side(&m, s);
	ok = ok && breakdown_identity_number(&m);
	arena_drop(a, m.parent);
	arena_drop(a, m.name);
	arena_drop(a, m.taken);
	for (uint32_t s = 0; s < sides_n; s++)
		arena_drop(a, m.node[s]);
	return ok;
}

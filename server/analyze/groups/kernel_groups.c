/* kernel_groups.c - shapes of chains and habits become groups, with their sums. */
#include "kernel_groups.h"
#include "kernel_chain.h"
#include "kernel_habit.h"
#include <stdlib.h>
#include <string.h>

static const double bound_least = 0.9, part_least = 0.05;
enum { CALLED_LEAST = 2, TOLD_LEAST = 3 };

struct maker {
	const struct attribution *at;
	struct kernel_chains chains;
	struct arena scratch;
	struct kernel_group *groups;
	uint32_t n, cap;
	uint32_t *group_of;
	uint32_t *launches, *chained; /* by kernel: all, and those in chains */
	uint32_t *of_shape; /* by shape: its group */
};

static void count(struct maker *m)
{
	for (uint32_t i = 0; i < m->chains.n; i++) {
		uint32_t kernel = m->at->kernel_of[i];
		m->launches[kernel]++;
		m->chained[kernel] += m->chains.shape[i] != CHAIN_NONE;
	}
}

static double bound(const struct maker *m, uint32_t kernel)
{
	return (double)m->chained[kernel] / m->launches[kernel];
}

/* The member that is least without the others, of equal ones the rarest. */
static uint32_t binds(const struct maker *m, const uint32_t *kernels,
	uint32_t n)
{
	uint32_t best = kernels[0];

	for (uint32_t i = 1; i < n; i++) {
		double is = bound(m, kernels[i]), so_far = bound(m, best);
		if (is > so_far || (is == so_far && m->launches[kernels[i]] <
							    m->launches[best]))
			best = kernels[i];
	}
	return best;
}

static uint32_t *add(struct maker *m, enum group_evidence evidence,
	double confidence, const uint32_t *kernels, uint32_t n)
{
	uint32_t *copy = arena_array(m->at->arena, uint32_t, n);

	if (m->n == m->cap) {
		uint32_t cap = m->cap * 2 + 16;
		struct kernel_group *grown =
			arena_grow(&m->scratch, m->groups, cap * sizeof *grown);
		if (!grown)
			return NULL;
		m->groups = grown;
		m->cap = cap;
	}
	if (!copy)
		return NULL;
	memcpy(copy, kernels, n * sizeof *copy);
	m->groups[m->n++] = (struct kernel_group){ .evidence = evidence,
		.kernels = copy,
		.kernels_n = n,
		.confidence = confidence };
	return copy;
}

/* Shapes that something binds; each row of their chains is of the group. */
static bool from_chains(struct maker *m)
{
	for (uint32_t i = 0; i < m->chains.shapes_n; i++) {
		const struct chain_shape *s = &m->chains.shapes[i];
		uint32_t kernel = binds(m, s->kernels, s->n);
		bool called = s->called * (uint64_t)2 >= s->chains;
		m->of_shape[i] = CHAIN_NONE;
		if (bound(m, kernel) < bound_least ||
			s->chains < (called ? CALLED_LEAST : TOLD_LEAST) ||
			s->chains < part_least * m->launches[kernel])
			continue;
		m->of_shape[i] = m->n;
		if (!add(m, called ? GROUP_CALL : GROUP_CATALOG,
			    bound(m, kernel), s->kernels, s->n))
			return false;
	}
	for (uint32_t i = 0; i < m->chains.n; i++) {
		uint32_t shape = m->chains.shape[i];
		m->group_of[i] =
			shape == CHAIN_NONE ? CHAIN_NONE : m->of_shape[shape];
	}
	return true;
}

/* Whether a habit begins at a row: all of it, on one stream. */
static bool begins(const struct maker *m, const struct kernel_habit *h,
	uint32_t row)
{
	uint32_t k = 0;

	for (uint32_t i = row; k < h->n && i != CHAIN_NONE;
		i = m->chains.behind[i], k++)
		if (m->at->kernel_of[i] != h->kernels[k] ||
			m->group_of[i] != CHAIN_NONE)
			return false;
	return k == h->n;
}

static bool from_habits(struct maker *m)
{
	struct kernel_habit *habits;
	uint32_t n, *of_kernel = arena_grow(&m->scratch, NULL,
			    ((size_t)m->at->profile->kernels_n + 1) *
				    sizeof *of_kernel);

	if (!of_kernel || !kernel_habits_from(&m->chains, m->group_of,
				  &m->scratch, &habits, &n))
		return false;
	for (uint32_t h = 0; h < n; h++)
		of_kernel[habits[h].kernels[0]] = h + 1;
	uint32_t first = m->n;
	for (uint32_t h = 0; h < n; h++)
		if (!add(m, GROUP_SEQUENCE, 0, habits[h].kernels, habits[h].n))
			return false;
	for (uint32_t i = 0; i < m->chains.n; i++) {
		uint32_t h = of_kernel[m->at->kernel_of[i]];
		if (!h || !begins(m, &habits[h - 1], i))
			continue;
		uint32_t row = i;
		for (uint32_t k = 0; k < habits[h - 1].n; k++) {
			m->group_of[row] = first + h - 1;
			row = m->chains.behind[row];
		}
	}
	return true;
}

/* What all launches of a group are of, NULL where they differ. */
static void add_operator(struct kernel_group *g, bool *seen,
	const struct attributed *is)
{
	const char *name = is->operator? is->operator->name : NULL;

	if (!*seen)
		g->operator_ = name;
	else if (!name || !g->operator_ || strcmp(name, g->operator_) != 0)
		g->operator_ = NULL;
	*seen = true;
}

static bool add_up(struct maker *m)
{
	const struct attribution *at = m->at;
	const int64_t *dur_ns = at->trace->kernel.dur_ns;
	uint32_t kernels = at->profile->kernels_n;
	bool *seen = arena_grow(&m->scratch, NULL, m->n + 1);
	uint32_t *grouped = arena_grow(&m->scratch, NULL,
		((size_t)kernels + 1) * sizeof *grouped);

	if (!seen || !grouped)
		return false;
	for (uint32_t i = 0; i < m->chains.n; i++) {
		if (m->group_of[i] == CHAIN_NONE)
			continue;
		struct kernel_group *g = &m->groups[m->group_of[i]];
		g->support++; /* launches, for now */
		g->total_ns += dur_ns[at->proc->kernel.from + i];
		grouped[at->kernel_of[i]]++;
		add_operator(g, &seen[m->group_of[i]], &at->of[i]);
	}
	for (uint32_t i = 0; i < m->n; i++) {
		struct kernel_group *g = &m->groups[i];
		g->support /= g->kernels_n;
		uint32_t rarest = UINT32_MAX;
		for (uint32_t k = 0; k < g->kernels_n; k++) {
			uint32_t kernel = g->kernels[k], before = 0;
			while (g->kernels[before] != kernel)
				before++;
			if (before == k)
				g->alone +=
					m->launches[kernel] - grouped[kernel];
			if (m->launches[kernel] < rarest)
				rarest = m->launches[kernel];
		}
		if (g->evidence == GROUP_SEQUENCE)
			g->confidence = (double)g->support / rarest;
	}
	return true;
}

static int by_time(const void *left, const void *right, void *with)
{
	const struct kernel_group *groups = with;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct kernel_group *a = &groups[i], *b = &groups[j];

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return (i > j) - (i < j);
}

static bool sort_out(struct maker *m, struct kernel_groups *out)
{
	size_t size = ((size_t)m->n + 1) * sizeof(uint32_t);
	uint32_t *order = arena_grow(&m->scratch, NULL, size);
	uint32_t *number = arena_grow(&m->scratch, NULL, size);

	out->n = m->n < KERNEL_GROUPS_MOST ? m->n : KERNEL_GROUPS_MOST;
	out->groups = arena_array(m->at->arena, struct kernel_group,
		(size_t)out->n + 1);
	if (!order || !number || !out->groups)
		return false;
	for (uint32_t i = 0; i < m->n; i++)
		order[i] = i;
	qsort_r(order, m->n, sizeof *order, by_time, m->groups);
	for (uint32_t i = 0; i < m->n; i++) {
		number[order[i]] = i < out->n ? i : CHAIN_NONE;
		if (i < out->n)
			out->groups[i] = m->groups[order[i]];
	}
	for (uint32_t i = 0; i < m->chains.n; i++)
		if (m->group_of[i] != CHAIN_NONE)
			m->group_of[i] = number[m->group_of[i]];
	return true;
}

bool kernel_groups_from(const struct attribution *at, struct kernel_groups *out,
	uint32_t **group_of)
{
	struct maker m = { .at = at, .scratch = arena_scratch(at->arena) };
	size_t rows = (size_t)(at->proc->kernel.to - at->proc->kernel.from) + 1,
	       kernels = (size_t)at->profile->kernels_n + 1;

	*out = (struct kernel_groups){ 0 };
	m.group_of = arena_grow(at->arena, NULL, rows * sizeof *m.group_of);
	m.launches = arena_grow(&m.scratch, NULL, kernels * sizeof *m.launches);
	m.chained = arena_grow(&m.scratch, NULL, kernels * sizeof *m.chained);
	bool ok = m.group_of && m.launches && m.chained &&
		  kernel_chains_from(&m.chains, at, &m.scratch);
	if (ok)
		m.of_shape = arena_grow(&m.scratch, NULL,
			((size_t)m.chains.shapes_n + 1) * sizeof *m.of_shape);
	if ((ok = ok && m.of_shape))
		count(&m);
	ok = ok && from_chains(&m) && from_habits(&m) && add_up(&m) &&
	     sort_out(&m, out);
	arena_scratch_release(&m.scratch, at->arena);
	*group_of = m.group_of;
	return ok;
}

/* kernel_groups.c - finds kernels that are launched together. */
#include "kernel_groups.h"
#include "attribution.h"
#include "layer_words.h"
#include <stdlib.h>
#include <string.h>

/* Chains: sequences of launches that are tied to each other on a stream. Two
 * consecutive launches are tied if one operator call launched both. If the call
 * of one of them is unknown, the catalog can tie them: a kernel that finishes a
 * matrix product is tied to that product, and consecutive attention kernels are
 * tied to each other. Chains of the same kernels have the same shape. */

enum { CHAIN_NONE = UINT32_MAX, CHAIN_MOST = 8 };

struct chain_shape {
	uint32_t kernels[CHAIN_MOST];
	uint32_t n;
	uint32_t chains; /* number of chains */
	uint32_t called; /* number of chains that one operator call launched */
	uint32_t first; /* kernel row at which one of the chains begins */
};

struct kernel_chains {
	const struct attribution *at;
	uint32_t n; /* kernel rows of the process */
	uint32_t *before,
		*behind; /* by row: the one before and the one after on its stream; CHAIN_NONE */
	uint8_t *tied; /* by row: whether it is tied to the one before */
	uint32_t *
		shape; /* by row: the shape of its chain. CHAIN_NONE: no chain, a chain of a single kernel, or more than CHAIN_MOST launches */
	struct chain_shape *shapes;
	uint32_t shapes_n;
};

static inline bool kernel_groups_chain_head(const struct kernel_chains *c,
	uint32_t row)
{
	return c->before[row] == CHAIN_NONE || !c->tied[row];
}

/* A stream of a device. It is hashed as bytes, so it has no padding. */
struct kernel_chain_stream {
	int64_t device, stream;
};

struct kernel_chain_maker {
	struct kernel_chains *c;
	struct arena *a;
	uint8_t *
		act; /* by kernel: from its name, else from its operator; ACTS unknown */
	size_t cap; /* capacity of shapes */
};

static bool kernel_groups_chain_acts(struct kernel_chain_maker *m)
{
	const struct attribution *at = m->c->at;
	const struct profile *p = at->profile;

	m->act = arena_grow(m->a, NULL, (size_t)p->kernels_n + 1);
	for (uint32_t i = 0; m->act && i < p->kernels_n; i++) {
		const char *name = p->kernels[i].name;
		struct layer_word word = { .act = ACTS };
		bool known = catalog_kernel_word(at->catalog, name,
			strlen(name), &word);
		if (!known && at->by_rule[i])
			known = catalog_operator_word(at->catalog,
				at->by_rule[i]->name, &word);
		m->act[i] = (uint8_t)(known ? word.act : ACTS);
	}
	return m->act;
}

/* Finds the rows before and after each row on its stream. */
static bool kernel_groups_chain_neighbors(struct kernel_chain_maker *m)
{
	struct kernel_chains *c = m->c;
	const struct kernel_rows *k = &c->at->trace->kernel;
	uint32_t from = c->at->proc->kernel.from, *last = NULL, cap = 0;
	struct names lanes;

	if (!names_init(&lanes, m->a))
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		struct kernel_chain_stream lane = { k->device[from + i],
			k->stream[from + i] };
		uint32_t known = lanes.n;
		uint32_t id =
			names_put(&lanes, (const char *)&lane, sizeof lane);
		if (id == NAMES_NONE)
			return false;
		if (id >= cap) {
			cap = id * 2 + 8;
			uint32_t *grown =
				arena_grow(m->a, last, cap * sizeof *grown);
			if (!grown)
				return false;
			last = grown;
		}
		c->before[i] = id < known ? last[id] : CHAIN_NONE;
		c->behind[i] = CHAIN_NONE;
		if (c->before[i] != CHAIN_NONE)
			c->behind[c->before[i]] = i;
		last[id] = i;
	}
	arena_drop(m->a, last);
	return true;
}

static bool kernel_groups_chain_tied_by_catalog(const struct kernel_chain_maker
							*m,
	uint32_t before, uint32_t row)
{
	const struct attribution *at = m->c->at;
	uint32_t x = at->kernel_of[before], y = at->kernel_of[row];
	const struct operator_info *first = at->by_rule[x],
				   *second = at->by_rule[y];

	if (x == y || !first || !second)
		return false;
	enum fit fit = catalog_fit(first, second),
		 turned = catalog_fit(second, first);
	if (m->act[y] == ACT_HELPER)
		return m->act[x] != ACT_HELPER &&
		       (fit == FIT_SAME || fit == FIT_PART);
	return m->act[x] == ACT_ATTENTION && m->act[y] == ACT_ATTENTION &&
	       (fit == FIT_SAME || fit == FIT_PART || turned == FIT_PART);
}

static bool kernel_groups_chain_one_call(const struct attribution *at,
	uint32_t a, uint32_t b)
{
	return at->of[a].call != LAUNCH_NO_CALL &&
	       at->of[a].call == at->of[b].call;
}

static bool kernel_groups_chain_tied(const struct kernel_chain_maker *m,
	uint32_t before, uint32_t row)
{
	const struct attribution *at = m->c->at;

	if (kernel_groups_chain_one_call(at, before, row))
		return true;
	if (at->of[before].call != LAUNCH_NO_CALL &&
		at->of[row].call != LAUNCH_NO_CALL)
		return false;
	return kernel_groups_chain_tied_by_catalog(m, before, row);
}

/* Finds the shape of the chain that begins here. Returns false if there is
 * none. */
static bool kernel_groups_chain_shape_of(const struct kernel_chains *c,
	uint32_t head, struct chain_shape *out)
{
	bool differ = false;

	*out = (struct chain_shape){ .first = head, .called = 1 };
	for (uint32_t i = head; i != CHAIN_NONE; i = c->behind[i]) {
		if (i != head && !c->tied[i])
			break;
		if (out->n == CHAIN_MOST)
			return false;
		if (i != head &&
			!kernel_groups_chain_one_call(c->at, c->before[i], i))
			out->called = 0;
		out->kernels[out->n] = c->at->kernel_of[i];
		differ = differ || out->kernels[out->n] != out->kernels[0];
		out->n++;
	}
	return differ;
}

static bool kernel_groups_chain_count_shape(struct kernel_chain_maker *m,
	struct names *seen, const struct chain_shape *is)
{
	struct kernel_chains *c = m->c;
	uint32_t id = names_put(seen, (const char *)is->kernels,
		is->n * sizeof *is->kernels);

	if (id == NAMES_NONE)
		return false;
	if (id > c->shapes_n) {
		if (c->shapes_n == m->cap) {
			size_t cap = m->cap * 2 + 64;
			void *grown = arena_grow(m->a, c->shapes,
				cap * sizeof *c->shapes);
			if (!grown)
				return false;
			c->shapes = grown;
			m->cap = cap;
		}
		c->shapes[c->shapes_n] = *is;
		c->shapes[c->shapes_n++].called = 0;
	}
	c->shapes[id - 1].chains++;
	c->shapes[id - 1].called += is->called;
	for (uint32_t i = is->first, k = 0; k < is->n; i = c->behind[i], k++)
		c->shape[i] = id - 1;
	return true;
}

/* Allocates all in `a`, a scratch arena. Returns false if it is full. */
static bool kernel_groups_chains_from(struct kernel_chains *c,
	const struct attribution *at, struct arena *a)
{
	struct kernel_chain_maker m = { .c = c, .a = a };
	struct names seen;
	struct chain_shape is;

	*c = (struct kernel_chains){ .at = at,
		.n = at->proc->kernel.to - at->proc->kernel.from };
	size_t n = (size_t)c->n + 1;
	c->before = arena_grow(a, NULL, n * sizeof *c->before);
	c->behind = arena_grow(a, NULL, n * sizeof *c->behind);
	c->shape = arena_grow(a, NULL, n * sizeof *c->shape);
	c->tied = arena_grow(a, NULL, n);
	bool ok = c->before && c->behind && c->shape && c->tied &&
		  names_init(&seen, a) && kernel_groups_chain_acts(&m) &&
		  kernel_groups_chain_neighbors(&m);
	for (uint32_t i = 0; ok && i < c->n; i++) {
		c->shape[i] = CHAIN_NONE;
		c->tied[i] = c->before[i] != CHAIN_NONE &&
			     kernel_groups_chain_tied(&m, c->before[i], i);
	}
	for (uint32_t i = 0; ok && i < c->n; i++)
		if (kernel_groups_chain_head(c, i) &&
			kernel_groups_chain_shape_of(c, i, &is))
			ok = kernel_groups_chain_count_shape(&m, &seen, &is);
	arena_drop(a, m.act);
	return ok;
}

/* Habits: kernels that always follow each other, but between different
 * neighbors. The kernels of a repeated layer always follow each other, too. But
 * kernels that the program launches from different places have different
 * kernels before and after them. A habit must pass these tests:
 * - in nearly all launches of each kernel the next kernel of the habit follows;
 * - each end has at least HABIT_NEIGHBORS different neighbors that occur often
 *   enough;
 * - it has at most HABIT_MOST kernels: a longer one is a part of a layer. */

enum { HABIT_MOST = 4, HABIT_NEIGHBORS = 3, HABIT_MIN = 8 };

struct kernel_habit {
	uint32_t kernels[HABIT_MOST];
	uint32_t n;
};

static const double follow_min =
			    0.9, /* share of the launches of both kernels */
	often_min = 0.05, /* share of launches from which a neighbor counts */
	often_max = 0.6; /* largest share of a single neighbor */

struct kernel_habit_pair {
	uint32_t before, behind, n;
};

struct kernel_habit_maker {
	const struct kernel_chains *c;
	const uint32_t *taken;
	struct arena *a;
	struct kernel_habit_pair *pairs;
	uint32_t pairs_n;
	uint32_t *launches; /* by kernel */
	uint32_t *next,
		*last; /* by kernel: the kernel after it, and before it */
	uint32_t *befores,
		*behinds; /* by kernel: number of frequent neighbors */
	uint8_t *lone_before,
		*lone_behind; /* by kernel: whether a single neighbor dominates */
};

static bool kernel_groups_habit_new_pair(struct kernel_habit_maker *m,
	const uint32_t key[2], size_t *cap)
{
	if (m->pairs_n == *cap) {
		size_t grown = *cap * 2 + 64;
		void *to = arena_grow(m->a, m->pairs, grown * sizeof *m->pairs);
		if (!to)
			return false;
		m->pairs = to;
		*cap = grown;
	}
	m->pairs[m->pairs_n++] =
		(struct kernel_habit_pair){ key[0], key[1], 0 };
	return true;
}

static bool kernel_groups_habit_count_pairs(struct kernel_habit_maker *m)
{
	const struct kernel_chains *c = m->c;
	const uint32_t *kernel_of = c->at->kernel_of;
	struct names seen;
	size_t cap = 0;

	if (!names_init(&seen, m->a))
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		m->launches[kernel_of[i]]++;
		if (c->before[i] == CHAIN_NONE)
			continue;
		const uint32_t key[2] = { kernel_of[c->before[i]],
			kernel_of[i] };
		uint32_t id = names_put(&seen, (const char *)key, sizeof key);
		if (id == NAMES_NONE ||
			(id > m->pairs_n &&
				!kernel_groups_habit_new_pair(m, key, &cap)))
			return false;
		if (m->pairs)
			m->pairs[id - 1].n++;
	}
	return true;
}

static void kernel_groups_habit_find_next(struct kernel_habit_maker *m)
{
	for (uint32_t i = 0; i < m->pairs_n; i++) {
		const struct kernel_habit_pair *p = &m->pairs[i];
		uint32_t most = m->launches[p->before] > m->launches[p->behind]
					? m->launches[p->before]
					: m->launches[p->behind];
		if (p->before == p->behind || p->n < HABIT_MIN ||
			p->n < follow_min * most)
			continue;
		m->next[p->before] = p->behind;
		m->last[p->behind] = p->before;
	}
}

static void kernel_groups_habit_count_neighbors(struct kernel_habit_maker *m)
{
	for (uint32_t i = 0; i < m->pairs_n; i++) {
		const struct kernel_habit_pair *p = &m->pairs[i];
		double of_before = m->launches[p->before],
		       of_behind = m->launches[p->behind];
		m->behinds[p->before] += p->n >= often_min * of_before;
		m->befores[p->behind] += p->n >= often_min * of_behind;
		if (p->n > often_max * of_before)
			m->lone_behind[p->before] = 1;
		if (p->n > often_max * of_behind)
			m->lone_before[p->behind] = 1;
	}
}

static bool kernel_groups_habit_between_different(
	const struct kernel_habit_maker *m, uint32_t first, uint32_t last)
{
	return m->befores[first] >= HABIT_NEIGHBORS &&
	       m->behinds[last] >= HABIT_NEIGHBORS && !m->lone_before[first] &&
	       !m->lone_behind[last];
}

/* Excludes kernels with a launch in a chain, and kernels with a launch whose
 * operator call is known. */
static void kernel_groups_habit_exclude(struct kernel_habit_maker *m,
	uint8_t *out)
{
	const struct attribution *at = m->c->at;

	for (uint32_t i = 0; i < m->c->n; i++)
		if (m->taken[i] != CHAIN_NONE ||
			at->of[i].call != LAUNCH_NO_CALL)
			out[at->kernel_of[i]] = 1;
}

/* Collects the habit that begins at a kernel. Returns false if there is
 * none. */
static bool kernel_groups_habit_row_of(const struct kernel_habit_maker *m,
	const uint8_t *out, uint32_t first, struct kernel_habit *is)
{
	is->n = 0;
	for (uint32_t k = first; k != CHAIN_NONE; k = m->next[k]) {
		if (is->n == HABIT_MOST || out[k])
			return false;
		is->kernels[is->n++] = k;
	}
	return is->n > 1 && kernel_groups_habit_between_different(m, first,
				    is->kernels[is->n - 1]);
}

/* Finds the habits of kernels whose launches are all in no chain (CHAIN_NONE in
 * `taken`, by row) and have no known operator call. *out is allocated in `a`.
 * Returns false if the arena is full. */
static bool kernel_groups_habits_from(const struct kernel_chains *c,
	const uint32_t *taken, struct arena *a, struct kernel_habit **habits,
	uint32_t *n)
{
	struct kernel_habit_maker m = { .c = c, .taken = taken, .a = a };
	uint32_t kernels = c->at->profile->kernels_n;
	size_t size = ((size_t)kernels + 1) * sizeof(uint32_t);
	uint8_t *out = arena_grow(a, NULL, (size_t)kernels + 1);

	m.launches = arena_grow(a, NULL, size);
	m.next = arena_grow(a, NULL, size);
	m.last = arena_grow(a, NULL, size);
	m.befores = arena_grow(a, NULL, size);
	m.behinds = arena_grow(a, NULL, size);
	m.lone_before = arena_grow(a, NULL, (size_t)kernels + 1);
	m.lone_behind = arena_grow(a, NULL, (size_t)kernels + 1);
	*habits = arena_grow(a, NULL, ((size_t)kernels + 1) * sizeof **habits);
	*n = 0;
	if (!out || !m.launches || !m.next || !m.last || !m.befores ||
		!m.behinds || !m.lone_before || !m.lone_behind || !*habits ||
		!kernel_groups_habit_count_pairs(&m))
		return false;
	memset(m.next, 0xff, size);
	memset(m.last, 0xff, size);
	kernel_groups_habit_find_next(&m);
	kernel_groups_habit_count_neighbors(&m);
	kernel_groups_habit_exclude(&m, out);
	for (uint32_t k = 0; k < kernels; k++)
		if (m.last[k] == CHAIN_NONE && m.next[k] != CHAIN_NONE)
			*n += kernel_groups_habit_row_of(&m, out, k,
				&(*habits)[*n]);
	return true;
}

static const double bound_min = 0.9, part_min = 0.05;
enum { CALLED_MIN = 2, CATALOG_MIN = 3 };

struct kernel_groups_maker {
	const struct attribution *at;
	struct kernel_chains chains;
	struct arena scratch;
	struct kernel_group *groups;
	uint32_t n, cap;
	uint32_t *group_of;
	uint32_t *launches,
		*chained; /* by kernel: all launches, and those in chains */
	uint32_t *of_shape; /* by shape: its group */
};

static void kernel_groups_count(struct kernel_groups_maker *m)
{
	for (uint32_t i = 0; i < m->chains.n; i++) {
		uint32_t kernel = m->at->kernel_of[i];
		m->launches[kernel]++;
		m->chained[kernel] += m->chains.shape[i] != CHAIN_NONE;
	}
}

static double kernel_groups_chained_share(const struct kernel_groups_maker *m,
	uint32_t kernel)
{
	return (double)m->chained[kernel] / m->launches[kernel];
}

/* Returns the binding kernel of a shape (kernel_groups.h): the member with the
 * largest share of launches in chains. Of equal ones, the one with fewest
 * launches is returned. */
static uint32_t kernel_groups_binding(const struct kernel_groups_maker *m,
	const uint32_t *kernels, uint32_t n)
{
	uint32_t best = kernels[0];

	for (uint32_t i = 1; i < n; i++) {
		double is = kernel_groups_chained_share(m, kernels[i]),
		       so_far = kernel_groups_chained_share(m, best);
		if (is > so_far || (is == so_far && m->launches[kernels[i]] <
							    m->launches[best]))
			best = kernels[i];
	}
	return best;
}

static uint32_t *kernel_groups_add(struct kernel_groups_maker *m,
	enum group_evidence evidence, double confidence,
	const uint32_t *kernels, uint32_t n)
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

/* Makes a group of each shape that has a binding kernel (kernel_groups.h). The
 * rows of its chains belong to the group. */
static bool kernel_groups_from_chains(struct kernel_groups_maker *m)
{
	for (uint32_t i = 0; i < m->chains.shapes_n; i++) {
		const struct chain_shape *s = &m->chains.shapes[i];
		uint32_t kernel = kernel_groups_binding(m, s->kernels, s->n);
		bool called = s->called * (uint64_t)2 >= s->chains;
		m->of_shape[i] = CHAIN_NONE;
		if (kernel_groups_chained_share(m, kernel) < bound_min ||
			s->chains < (called ? CALLED_MIN : CATALOG_MIN) ||
			s->chains < part_min * m->launches[kernel])
			continue;
		m->of_shape[i] = m->n;
		if (!kernel_groups_add(m, called ? GROUP_CALL : GROUP_CATALOG,
			    kernel_groups_chained_share(m, kernel), s->kernels,
			    s->n))
			return false;
	}
	for (uint32_t i = 0; i < m->chains.n; i++) {
		uint32_t shape = m->chains.shape[i];
		m->group_of[i] =
			shape == CHAIN_NONE ? CHAIN_NONE : m->of_shape[shape];
	}
	return true;
}

/* Returns whether all kernels of a habit follow each other from this row on, on
 * its stream. */
static bool kernel_groups_begins(const struct kernel_groups_maker *m,
	const struct kernel_habit *h, uint32_t row)
{
	uint32_t k = 0;

	for (uint32_t i = row; k < h->n && i != CHAIN_NONE;
		i = m->chains.behind[i], k++)
		if (m->at->kernel_of[i] != h->kernels[k] ||
			m->group_of[i] != CHAIN_NONE)
			return false;
	return k == h->n;
}

static bool kernel_groups_from_habits(struct kernel_groups_maker *m)
{
	struct kernel_habit *habits;
	uint32_t n, *of_kernel = arena_grow(&m->scratch, NULL,
			    ((size_t)m->at->profile->kernels_n + 1) *
				    sizeof *of_kernel);

	if (!of_kernel || !kernel_groups_habits_from(&m->chains, m->group_of,
				  &m->scratch, &habits, &n))
		return false;
	for (uint32_t h = 0; h < n; h++)
		of_kernel[habits[h].kernels[0]] = h + 1;
	uint32_t first = m->n;
	for (uint32_t h = 0; h < n; h++)
		if (!kernel_groups_add(m, GROUP_SEQUENCE, 0, habits[h].kernels,
			    habits[h].n))
			return false;
	for (uint32_t i = 0; i < m->chains.n; i++) {
		uint32_t h = of_kernel[m->at->kernel_of[i]];
		if (!h || !kernel_groups_begins(m, &habits[h - 1], i))
			continue;
		uint32_t row = i;
		for (uint32_t k = 0; k < habits[h - 1].n; k++) {
			m->group_of[row] = first + h - 1;
			row = m->chains.behind[row];
		}
	}
	return true;
}

/* Sets the operator of a group; NULL if its launches have different
 * operators. */
static void kernel_groups_add_operator(struct kernel_group *g, bool *seen,
	const struct attributed *is)
{
	const char *name = is->op ? is->op->name : NULL;

	if (!*seen)
		g->operator_ = name;
	else if (!name || !g->operator_ || strcmp(name, g->operator_) != 0)
		g->operator_ = NULL;
	*seen = true;
}

static bool kernel_groups_add_up(struct kernel_groups_maker *m)
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
		g->support++; /* counts launches; divided below */
		g->total_ns += dur_ns[at->proc->kernel.from + i];
		grouped[at->kernel_of[i]]++;
		kernel_groups_add_operator(g, &seen[m->group_of[i]],
			&at->of[i]);
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

static int kernel_groups_by_time(const void *left, const void *right,
	void *with)
{
	const struct kernel_group *groups = with;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct kernel_group *a = &groups[i], *b = &groups[j];

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return (i > j) - (i < j);
}

static bool kernel_groups_rank(struct kernel_groups_maker *m,
	struct kernel_groups *out)
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
	qsort_r(order, m->n, sizeof *order, kernel_groups_by_time, m->groups);
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
	struct kernel_groups_maker m = { .at = at,
		.scratch = arena_scratch(at->arena) };
	size_t rows = (size_t)(at->proc->kernel.to - at->proc->kernel.from) + 1,
	       kernels = (size_t)at->profile->kernels_n + 1;

	*out = (struct kernel_groups){ 0 };
	m.group_of = arena_grow(at->arena, NULL, rows * sizeof *m.group_of);
	m.launches = arena_grow(&m.scratch, NULL, kernels * sizeof *m.launches);
	m.chained = arena_grow(&m.scratch, NULL, kernels * sizeof *m.chained);
	bool ok = m.group_of && m.launches && m.chained &&
		  kernel_groups_chains_from(&m.chains, at, &m.scratch);
	if (ok)
		m.of_shape = arena_grow(&m.scratch, NULL,
			((size_t)m.chains.shapes_n + 1) * sizeof *m.of_shape);
	if ((ok = ok && m.of_shape))
		kernel_groups_count(&m);
	ok = ok && kernel_groups_from_chains(&m) &&
	     kernel_groups_from_habits(&m) && kernel_groups_add_up(&m) &&
	     kernel_groups_rank(&m, out);
	arena_scratch_release(&m.scratch, at->arena);
	*group_of = m.group_of;
	return ok;
}

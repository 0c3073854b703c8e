/* iteration_use.c - decides which iterations count, and how confident it is that
 * they are iterations.
 *
 * Warm-up: iterations at the beginning, each next to the last, that are unlike
 * what follows. An iteration is compared with the later whole ones of its
 * stratum, of which there must be at least three. It is unlike them if it
 * launches a kernel that no later iteration has, or if its duration or its kernel
 * time is above their median by more than 3 × 1.4826 × MAD and by more than 2 %.
 * At most a quarter of the whole iterations, rounded up, is warm-up. A first
 * iteration whose grids were its own and which launches, by name, 90 % of what
 * the most frequent stratum does, is of that stratum: it did the same and tried
 * alternatives (autotuning).
 *
 * Confidence: the share of the GPU time in kept iterations, times their
 * similarity: the mean weighted Jaccard index, of launches by kernel, of each and
 * the next kept one of its stratum. If no two can be compared, it is the share
 * alone for ranges, and 0 for a window over everything. */
#include "iteration_parts.h"
#include "sort.h"
#include <stdlib.h>
#include <string.h>

enum { LATER_MIN = 3, WHOLE_MIN = 4 };

struct iteration_use_maker {
	const struct iteration_gpu *g;
	const uint32_t *kernel_of;
	const struct iteration_items *ops;
	struct profile *p;
	struct iterations *c;
	uint32_t *rows, *from; /* kernels, iteration by iteration */
	int64_t *kernel_ns; /* by iteration */
	uint32_t *last; /* by kernel: the last iteration that has it */
	uint32_t *count, *other; /* by kernel */
	int64_t *value; /* room for a number per iteration */
	uint32_t limit; /* iterations before this one may be warm-up */
};

static bool iteration_use_init(struct iteration_use_maker *m, struct arena *a)
{
	const struct iteration_gpu_rows *k = &m->g->kind[ITERATION_KERNEL];
	uint32_t n = k->rows.to - k->rows.from;
	size_t iterations = (size_t)m->c->n + 2,
	       kernels = m->p->kernels_n + (size_t)1;

	m->rows = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *m->rows);
	m->from = arena_grow(a, NULL, iterations * sizeof *m->from);
	m->kernel_ns = arena_grow(a, NULL, iterations * sizeof *m->kernel_ns);
	m->value = arena_grow(a, NULL, iterations * sizeof *m->value);
	m->last = arena_grow(a, NULL, kernels * sizeof *m->last);
	m->count = arena_grow(a, NULL, kernels * sizeof *m->count);
	m->other = arena_grow(a, NULL, kernels * sizeof *m->other);
	if (!m->rows || !m->from || !m->kernel_ns || !m->value || !m->last ||
		!m->count || !m->other)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = k->iteration[i];
		if (c == ITERATION_NONE)
			continue;
		m->from[c + 2]++;
		m->kernel_ns[c] += k->dur_ns[k->rows.from + i];
		if (c > m->last[m->kernel_of[i]])
			m->last[m->kernel_of[i]] = c;
	}
	for (uint32_t c = 0; c < m->c->n; c++)
		m->from[c + 2] += m->from[c + 1];
	for (uint32_t i = 0; i < n; i++)
		if (k->iteration[i] != ITERATION_NONE)
			m->rows[m->from[k->iteration[i] + 1]++] = i;
	return true;
}

/* Twice the median, so that it is whole. */
static int64_t iteration_use_median2(int64_t *v, uint32_t n)
{
	sort_int64(v, n);
	return v[n / 2] + v[(n - 1) / 2];
}

static int64_t iteration_use_value_of(const struct iteration_use_maker *m,
	uint32_t iteration, bool kernels)
{
	return kernels ? m->kernel_ns[iteration]
		       : m->c->iterations[iteration].dur_ns;
}

static bool iteration_use_is_later(const struct iteration_use_maker *m,
	uint32_t iteration, uint32_t stratum)
{
	const struct iteration *y = &m->c->iterations[iteration];

	return y->use == ITERATION_KEPT && y->stratum == stratum;
}

/* Whether an iteration took far longer than those of a stratum behind the limit. */
static bool iteration_use_slower(struct iteration_use_maker *m,
	uint32_t iteration, uint32_t stratum, bool kernels)
{
	uint32_t n = 0;

	for (uint32_t i = m->limit; i < m->c->n; i++)
		if (iteration_use_is_later(m, i, stratum))
			m->value[n++] = iteration_use_value_of(m, i, kernels);
	if (n < LATER_MIN)
		return false;
	int64_t middle = iteration_use_median2(m->value, n);
	for (uint32_t i = 0; i < n; i++)
		m->value[i] = llabs(m->value[i] * 2 - middle);
	/* All four-fold: twice a value, twice a median of those. */
	double spread = 3 * 1.4826 * (double)iteration_use_median2(m->value, n);
	double min = 0.02 * 2 * (double)middle;
	double above =
		(double)iteration_use_value_of(m, iteration, kernels) * 4 -
		(double)middle * 2;
	return above > (spread > min ? spread : min);
}

static uint32_t iteration_use_later_n(const struct iteration_use_maker *m,
	uint32_t stratum)
{
	uint32_t n = 0;

	for (uint32_t i = m->limit; i < m->c->n && n < LATER_MIN; i++)
		n += iteration_use_is_later(m, i, stratum);
	return n;
}

static bool iteration_use_has_own_kernel(const struct iteration_use_maker *m,
	uint32_t iteration)
{
	for (uint32_t i = m->from[iteration]; i < m->from[iteration + 1]; i++)
		if (m->last[m->kernel_of[m->rows[i]]] == iteration)
			return true;
	return false;
}

/* Counts an iteration's launches by kernel. */
static uint32_t iteration_use_count(const struct iteration_use_maker *m,
	uint32_t iteration, uint32_t *to, uint32_t by)
{
	for (uint32_t i = m->from[iteration]; i < m->from[iteration + 1]; i++)
		to[m->kernel_of[m->rows[i]]] += by;
	return m->from[iteration + 1] - m->from[iteration];
}

/* How many launches two iterations share, by kernel. */
static uint32_t iteration_use_common(struct iteration_use_maker *m,
	uint32_t one, uint32_t two)
{
	uint32_t n = 0;

	iteration_use_count(m, one, m->count, 1);
	for (uint32_t i = m->from[two]; i < m->from[two + 1]; i++) {
		uint32_t kernel = m->kernel_of[m->rows[i]];
		n += m->other[kernel]++ < m->count[kernel];
	}
	iteration_use_count(m, two, m->other, -1u);
	iteration_use_count(m, one, m->count, -1u);
	return n;
}

/* The iteration behind the limit that begins the stratum most of those are of. */
static uint32_t iteration_use_frequent(const struct iteration_use_maker *m,
	struct arena *a)
{
	uint32_t *n =
		arena_grow(a, NULL, ((size_t)m->c->strata_n + 1) * sizeof *n);
	uint32_t best = m->c->n, most = 0;

	for (uint32_t i = m->limit; n && i < m->c->n; i++)
		n[m->c->iterations[i].stratum] +=
			m->c->iterations[i].use == ITERATION_KEPT;
	for (uint32_t i = m->limit; n && i < m->c->n; i++) {
		uint32_t stratum = m->c->iterations[i].stratum;
		if (m->c->iterations[i].use == ITERATION_KEPT &&
			n[stratum] > most) {
			most = n[stratum];
			best = i;
		}
	}
	arena_drop(a, n);
	return best;
}

/* Whether an iteration whose stratum no later one has did the same as most and
 * tried alternatives. */
static bool iteration_use_tried(struct iteration_use_maker *m,
	uint32_t iteration, uint32_t most)
{
	const struct iteration *y = &m->c->iterations[iteration];
	const uint32_t *from = m->ops->from;

	if (most == m->c->n || iteration_use_later_n(m, y->stratum) ||
		iteration_use_later_n(m, m->c->iterations[most].stratum) <
			LATER_MIN ||
		m->c->strata[y->stratum].phase != PHASE_UNKNOWN ||
		from[iteration] != from[iteration + 1] ||
		!iteration_use_has_own_kernel(m, iteration))
		return false;
	uint32_t size = m->from[most + 1] - m->from[most];
	return size &&
	       iteration_use_common(m, most, iteration) * 10 >= size * 9;
}

static bool iteration_use_is_unlike(struct iteration_use_maker *m,
	uint32_t iteration)
{
	uint32_t stratum = m->c->iterations[iteration].stratum;

	return iteration_use_has_own_kernel(m, iteration) ||
	       iteration_use_slower(m, iteration, stratum, false) ||
	       iteration_use_slower(m, iteration, stratum, true);
}

static int64_t iteration_use_mark(struct iteration_use_maker *m, uint32_t most)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < m->limit; i++) {
		struct iteration *y = &m->c->iterations[i];
		if (y->use != ITERATION_KEPT)
			continue;
		if (iteration_use_tried(m, i, most))
			y->stratum = m->c->iterations[most].stratum;
		else if (iteration_use_later_n(m, y->stratum) < LATER_MIN)
			continue;
		else if (!iteration_use_is_unlike(m, i))
			break;
		y->use = ITERATION_WARMUP;
		n++;
	}
	return n;
}

bool iteration_use_find(const struct iteration_gpu *g,
	const uint32_t *kernel_of, const struct iteration_items *ops,
	struct profile *p, struct arena *a)
{
	struct iteration_use_maker m = { .g = g,
		.kernel_of = kernel_of,
		.ops = ops,
		.p = p,
		.c = &p->iterations };
	uint32_t whole = 0, passed = 0;

	for (uint32_t i = 0; i < m.c->n; i++)
		whole += m.c->iterations[i].use == ITERATION_KEPT;
	if (whole < WHOLE_MIN)
		return true;
	for (; passed < (whole + 3) / 4; m.limit++)
		passed += m.c->iterations[m.limit].use == ITERATION_KEPT;
	if (!iteration_use_init(&m, a))
		return false;
	int64_t n = iteration_use_mark(&m, iteration_use_frequent(&m, a));
	if (n)
		note_add(&p->notes, NOTE_iterations_warmup, n, NULL, 0);
	return true;
}

/* The GPU time in kept iterations, as a share of all. */
static double iteration_use_share(const struct iteration_gpu *g,
	const struct iterations *c)
{
	int64_t ns = 0;

	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		const struct iteration_gpu_rows *r = &g->kind[k];
		for (uint32_t i = r->rows.from; i < r->rows.to; i++) {
			uint32_t iteration = r->iteration[i - r->rows.from];
			if (iteration != ITERATION_NONE &&
				c->iterations[iteration].use == ITERATION_KEPT)
				ns += r->dur_ns[i];
		}
	}
	return g->total_ns ? (double)ns / (double)g->total_ns : 0;
}

bool iteration_use_confidence(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, struct arena *a)
{
	struct iteration_use_maker m = { .g = g,
		.kernel_of = kernel_of,
		.p = p,
		.c = &p->iterations };
	uint32_t *before = arena_grow(a, NULL,
		((size_t)m.c->strata_n + 1) * sizeof *before);
	double sum = 0;
	uint32_t pairs = 0;

	if (!before || !iteration_use_init(&m, a))
		return false;
	for (uint32_t i = 0; i < m.c->n; i++) {
		const struct iteration *y = &m.c->iterations[i];
		if (y->use != ITERATION_KEPT)
			continue;
		uint32_t last = before[y->stratum];
		before[y->stratum] = i + 1;
		if (!last--)
			continue;
		uint32_t same = iteration_use_common(&m, last, i);
		uint32_t all = m.from[last + 1] - m.from[last] + m.from[i + 1] -
			       m.from[i] - same;
		sum += all ? (double)same / all : 1;
		pairs++;
	}
	bool window = m.c->detector == ITERATIONS_WINDOW;
	m.c->confidence =
		iteration_use_share(g, m.c) * (pairs ? sum / pairs : !window);
	return true;
}

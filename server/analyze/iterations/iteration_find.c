/* iteration_find.c - runs the detectors in order, marks the kept iterations,
 * and computes the confidence.
 *
 * Warm-up iterations are the first iterations, without gaps, that differ from
 * the later ones. An iteration is compared with the later complete iterations
 * of its stratum; there must be at least three. It differs if it launches a
 * kernel that no later iteration has, or if its duration or its kernel time is
 * above their median by more than 3 × 1.4826 × MAD and by more than 2 %. At
 * most a quarter of the complete iterations, rounded up, are warm-up. A slow
 * iteration must also differ in this way from as many iterations as can be
 * warm-up, at least three, that follow the last one that can. If these are slow,
 * too, then the run became faster later, for instance by a clock: the whole
 * slow part is work, and to exclude a part of it would be arbitrary. A first
 * iteration may have grids that no other iteration has. If 90 % of its
 * launches, by name, are those of the most frequent stratum, it is assigned to
 * this stratum: it did this work and tried alternatives (autotuning).
 *
 * The confidence is the share of GPU time in kept iterations × their
 * similarity. The similarity is the mean weighted Jaccard index, of launches by
 * kernel, of each kept iteration and the next one of its stratum. If no two
 * iterations can be compared, the confidence is the share for ranges, and 0 for
 * a window over the whole recording. */
#include "iteration_find.h"
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
	uint32_t near; /* how many iterations after them are their neighbors */
};

static bool iteration_find_use_init(struct iteration_use_maker *m,
	struct arena *a)
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

/* Twice the median, which is always a whole number. */
static int64_t iteration_find_use_median2(int64_t *v, uint32_t n)
{
	sort_int64(v, n);
	return v[n / 2] + v[(n - 1) / 2];
}

static int64_t iteration_find_use_value_of(const struct iteration_use_maker *m,
	uint32_t iteration, bool kernels)
{
	return kernels ? m->kernel_ns[iteration]
		       : m->c->iterations[iteration].dur_ns;
}

static bool iteration_find_use_is_later(const struct iteration_use_maker *m,
	uint32_t iteration, uint32_t stratum)
{
	const struct iteration *y = &m->c->iterations[iteration];

	return y->use == ITERATION_KEPT && y->stratum == stratum;
}

/* Whether an iteration took far longer than the first `most` iterations of a
 * stratum that cannot be warm-up. */
static bool iteration_find_use_slower_than(struct iteration_use_maker *m,
	uint32_t iteration, uint32_t stratum, bool kernels, uint32_t most)
{
	uint32_t n = 0;

	for (uint32_t i = m->limit; i < m->c->n && n < most; i++)
		if (iteration_find_use_is_later(m, i, stratum))
			m->value[n++] =
				iteration_find_use_value_of(m, i, kernels);
	if (n < LATER_MIN)
		return false;
	int64_t middle = iteration_find_use_median2(m->value, n);
	for (uint32_t i = 0; i < n; i++)
		m->value[i] = llabs(m->value[i] * 2 - middle);
	/* All values are multiplied by four: twice a value, then twice a median
	 * of such values. */
	double spread =
		3 * 1.4826 * (double)iteration_find_use_median2(m->value, n);
	double min = 0.02 * 2 * (double)middle;
	double above =
		(double)iteration_find_use_value_of(m, iteration, kernels) * 4 -
		(double)middle * 2;
	return above > (spread > min ? spread : min);
}

/* Whether an iteration took far longer than all that cannot be warm-up, and far
 * longer than the first of them. */
static bool iteration_find_use_slower(struct iteration_use_maker *m,
	uint32_t iteration, uint32_t stratum, bool kernels)
{
	return iteration_find_use_slower_than(m, iteration, stratum, kernels,
		       m->c->n) &&
	       iteration_find_use_slower_than(m, iteration, stratum, kernels,
		       m->near);
}

static uint32_t iteration_find_use_later_n(const struct iteration_use_maker *m,
	uint32_t stratum)
{
	uint32_t n = 0;

	for (uint32_t i = m->limit; i < m->c->n && n < LATER_MIN; i++)
		n += iteration_find_use_is_later(m, i, stratum);
	return n;
}

static bool iteration_find_use_has_own_kernel(const struct iteration_use_maker
						      *m,
	uint32_t iteration)
{
	for (uint32_t i = m->from[iteration]; i < m->from[iteration + 1]; i++)
		if (m->last[m->kernel_of[m->rows[i]]] == iteration)
			return true;
	return false;
}

/* Counts an iteration's launches by kernel. */
static uint32_t iteration_find_use_count(const struct iteration_use_maker *m,
	uint32_t iteration, uint32_t *to, uint32_t by)
{
	for (uint32_t i = m->from[iteration]; i < m->from[iteration + 1]; i++)
		to[m->kernel_of[m->rows[i]]] += by;
	return m->from[iteration + 1] - m->from[iteration];
}

/* How many launches two iterations share, by kernel. */
static uint32_t iteration_find_use_common(struct iteration_use_maker *m,
	uint32_t one, uint32_t two)
{
	uint32_t n = 0;

	iteration_find_use_count(m, one, m->count, 1);
	for (uint32_t i = m->from[two]; i < m->from[two + 1]; i++) {
		uint32_t kernel = m->kernel_of[m->rows[i]];
		n += m->other[kernel]++ < m->count[kernel];
	}
	iteration_find_use_count(m, two, m->other, -1u);
	iteration_find_use_count(m, one, m->count, -1u);
	return n;
}

/* Among the iterations that cannot be warm-up: the first one of the most
 * frequent stratum. */
static uint32_t iteration_find_use_frequent(const struct iteration_use_maker *m,
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

/* Whether an iteration, whose stratum no later iteration has, did the work of
 * the most frequent stratum and tried alternatives. */
static bool iteration_find_use_tried(struct iteration_use_maker *m,
	uint32_t iteration, uint32_t most)
{
	const struct iteration *y = &m->c->iterations[iteration];
	const uint32_t *from = m->ops->from;

	if (most == m->c->n || iteration_find_use_later_n(m, y->stratum) ||
		iteration_find_use_later_n(m, m->c->iterations[most].stratum) <
			LATER_MIN ||
		m->c->strata[y->stratum].phase != PHASE_UNKNOWN ||
		from[iteration] != from[iteration + 1] ||
		!iteration_find_use_has_own_kernel(m, iteration))
		return false;
	uint32_t size = m->from[most + 1] - m->from[most];
	return size &&
	       iteration_find_use_common(m, most, iteration) * 10 >= size * 9;
}

static bool iteration_find_use_is_unlike(struct iteration_use_maker *m,
	uint32_t iteration)
{
	uint32_t stratum = m->c->iterations[iteration].stratum;

	return iteration_find_use_has_own_kernel(m, iteration) ||
	       iteration_find_use_slower(m, iteration, stratum, false) ||
	       iteration_find_use_slower(m, iteration, stratum, true);
}

static int64_t iteration_find_use_mark(struct iteration_use_maker *m,
	uint32_t most)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < m->limit; i++) {
		struct iteration *y = &m->c->iterations[i];
		if (y->use != ITERATION_KEPT)
			continue;
		if (iteration_find_use_tried(m, i, most))
			y->stratum = m->c->iterations[most].stratum;
		else if (iteration_find_use_later_n(m, y->stratum) < LATER_MIN)
			continue;
		else if (!iteration_find_use_is_unlike(m, i))
			break;
		y->use = ITERATION_WARMUP;
		n++;
	}
	return n;
}

/* Sets iteration.use, and adds a note if there is warm-up. `a` is an arena for
 * temporary data; false if it is full. */
static bool iteration_find_use(const struct iteration_gpu *g,
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
	m.near = passed > LATER_MIN ? passed : LATER_MIN;
	if (!iteration_find_use_init(&m, a))
		return false;
	int64_t n =
		iteration_find_use_mark(&m, iteration_find_use_frequent(&m, a));
	if (n)
		note_add(&p->notes, NOTE_iterations_warmup, n, NULL, 0);
	return true;
}

/* The GPU time in kept iterations, as a share of all. */
static double iteration_find_use_share(const struct iteration_gpu *g,
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

/* Sets p->iterations.confidence, once it is clear which are kept. */
static bool iteration_find_use_confidence(const struct iteration_gpu *g,
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

	if (!before || !iteration_find_use_init(&m, a))
		return false;
	for (uint32_t i = 0; i < m.c->n; i++) {
		const struct iteration *y = &m.c->iterations[i];
		if (y->use != ITERATION_KEPT)
			continue;
		uint32_t last = before[y->stratum];
		before[y->stratum] = i + 1;
		if (!last--)
			continue;
		uint32_t same = iteration_find_use_common(&m, last, i);
		uint32_t all = m.from[last + 1] - m.from[last] + m.from[i + 1] -
			       m.from[i] - same;
		sum += all ? (double)same / all : 1;
		pairs++;
	}
	bool window = m.c->detector == ITERATIONS_WINDOW;
	m.c->confidence = iteration_find_use_share(g, m.c) *
			  (pairs ? sum / pairs : !window);
	return true;
}

/* One iteration over all GPU records; none if there are none. */
static bool iteration_find_whole_window(struct iteration_gpu *g,
	struct arena *a, struct iterations *out)
{
	int64_t from, to;

	if (!iteration_gpu_span(g, &from, &to))
		return true;
	out->iterations = arena_new(a, struct iteration);
	if (!out->iterations)
		return false;
	out->n = 1;
	*out->iterations = (struct iteration){ .start_ns = from,
		.dur_ns = to - from,
		.open = true };
	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		struct iteration_gpu_rows *r = &g->kind[k];
		for (uint32_t i = 0; i < r->rows.to - r->rows.from; i++)
			r->iteration[i] = 0;
	}
	return true;
}

struct iteration_find_state {
	const struct trace *t;
	const struct process *proc;
	struct iteration_gpu gpu;
	struct arena *a;
	struct profile *p;
	struct iterations *out;
};

/* At most this many groups of ranges that do not look like iterations are
 * skipped. */
enum { PASSED_MAX = 4 };

/* Runs with fewer launches get no note that no iterations were found. */
enum { WINDOW_NOTED = 100 };

static bool iteration_find_windows(struct iteration_find_state *f,
	const struct iteration_ranges *r, enum iteration_detector detector)
{
	f->out->detector = detector;
	f->out->range = r->name;
	return iteration_ranges_windows(&f->gpu, r, f->a, f->out);
}

/* Makes iterations from the ranges whose name the caller gives. */
static bool iteration_find_by_name(struct iteration_find_state *f,
	const char *range, struct err *e)
{
	struct iteration_ranges r = { 0 };
	bool ok = iteration_ranges_named(&f->gpu, range, f->a, &r, e) &&
		  (iteration_find_windows(f, &r, ITERATIONS_NAMED) ||
			  arena_err(f->a, e));

	arena_drop(f->a, r.row);
	return ok;
}

/* Makes iterations from ranges that are searched for. It is no error if there
 * are none. */
static bool iteration_find_by_ranges(struct iteration_find_state *f,
	const uint32_t *kernel_of)
{
	for (uint32_t passed = 0; passed < PASSED_MAX; passed++) {
		struct iteration_ranges r = { 0 };
		bool agrees = true;
		bool ok = iteration_ranges_find(&f->gpu, passed, f->a, &r) &&
			  (!r.n || iteration_find_windows(f, &r,
					   ITERATIONS_ANNOTATION)) &&
			  (!r.n || r.step ||
				  period_detector_agrees(&f->gpu, kernel_of,
					  f->p, &agrees));
		arena_drop(f->a, r.row);
		if (!ok || !r.n || agrees)
			return ok;
		*f->out = (struct iterations){ 0 };
		iteration_gpu_forget(&f->gpu);
	}
	return true;
}

static bool iteration_find_by_period(struct iteration_find_state *f,
	const uint32_t *kernel_of)
{
	if (!period_detector_find(&f->gpu, kernel_of, f->p))
		return false;
	if (f->out->n)
		f->out->detector = ITERATIONS_PERIOD;
	return true;
}

static bool iteration_find_by_window(struct iteration_find_state *f)
{
	if (!iteration_find_whole_window(&f->gpu, f->a, f->out))
		return false;
	if (f->out->n)
		f->out->detector = ITERATIONS_WINDOW;
	return true;
}

/* Fills the values of each iteration after the windows are known. Makes times
 * relative to the run's first record. */
static void iteration_find_finish(struct iteration_find_state *f,
	const struct iteration_rows *rows)
{
	struct iterations *c = f->out;
	int64_t first = trace_first_ns(f->t, f->proc);
	int64_t partial = 0;

	for (uint32_t i = 0; i < f->proc->kernel.to - f->proc->kernel.from; i++)
		if (rows->kernel[i] != ITERATION_NONE)
			c->iterations[rows->kernel[i]].launches++;
	for (uint32_t i = 0; i < c->n; i++) {
		struct iteration *y = &c->iterations[i];
		y->start_ns -= first;
		y->compute_ns = y->comm_ns = y->copy_ns = y->idle_ns = -1;
		y->comm_overlapped_ns = y->sync_ns = -1;
		c->kept_n += y->use == ITERATION_KEPT;
		partial += y->use == ITERATION_PARTIAL;
	}
	if (partial)
		note_add(&f->p->notes, NOTE_iterations_partial, partial, NULL,
			0);
	if (c->detector == ITERATIONS_WINDOW && f->p->launches >= WINDOW_NOTED)
		note_add(&f->p->notes, NOTE_iterations_window, f->p->launches,
			NULL, 0);
}

/* Finds what the iterations worked on, and which of them are kept. */
static bool iteration_find_describe(struct iteration_find_state *f,
	const uint32_t *kernel_of)
{
	struct arena scratch = arena_scratch(f->a), *a = &scratch;
	struct profile *p = f->p;
	struct iteration_items ops, grids;

	bool ok =
		iteration_strata_find(&f->gpu, kernel_of, p, a, &ops, &grids) &&
		iteration_find_use(&f->gpu, kernel_of, &ops, p, a) &&
		iteration_strata_rank(&ops, &grids, f->t, p, a) &&
		iteration_find_use_confidence(&f->gpu, kernel_of, p, a);
	arena_scratch_release(&scratch, f->a);
	return ok;
}

static bool iteration_find_windows_by_any(struct iteration_find_state *f,
	const char *range, const uint32_t *kernel_of, struct err *e)
{
	if (range)
		return iteration_find_by_name(f, range, e);
	if (f->p->content == CONTENT_DURATIONS)
		return true;
	return (iteration_find_by_ranges(f, kernel_of) &&
		       (f->out->n || iteration_find_by_period(f, kernel_of)) &&
		       (f->out->n || iteration_find_by_window(f))) ||
	       arena_err(f->a, e);
}

bool iteration_find(const struct iteration_input *in, const char *range,
	struct profile *p, struct iteration_rows *rows, struct err *e)
{
	struct iteration_find_state f = { .t = in->t,
		.proc = in->proc,
		.a = p->arena,
		.p = p,
		.out = &p->iterations };

	p->iterations = (struct iterations){ 0 };
	bool ok =
		iteration_gpu_init(&f.gpu, in, rows, f.a) || arena_err(f.a, e);
	ok = ok && iteration_find_windows_by_any(&f, range, in->kernel_of, e) &&
	     (!p->iterations.n || iteration_find_describe(&f, in->kernel_of) ||
		     arena_err(f.a, e));
	if (ok)
		iteration_find_finish(&f, rows);
	iteration_gpu_release(&f.gpu, f.a);
	return ok;
}

/* iteration_gpu.c - joins GPU records with the API calls that launched them,
 * and sums GPU time by the times of API calls and of kernels. */
#include "correlation.h"
#include "iteration_parts.h"
#include "sort.h"
#include <stdlib.h>
#include <string.h>

static uint32_t *iteration_gpu_no_iteration(struct slice rows, struct arena *a)
{
	size_t n = (size_t)(rows.to - rows.from) + 1;
	uint32_t *iteration = arena_grow(a, NULL, n * sizeof *iteration);

	if (iteration)
		memset(iteration, 0xFF, n * sizeof *iteration);
	return iteration;
}

static bool iteration_gpu_clock_init(struct iteration_gpu_clock *c,
	struct slice rows, const int64_t *start_ns, struct arena *a)
{
	size_t n = (size_t)(rows.to - rows.from) + 1;

	c->rows = rows;
	c->start_ns = start_ns;
	c->before_ns = arena_grow(a, NULL, n * sizeof *c->before_ns);
	return c->before_ns;
}

/* Replaces each row's time by the sum of the times before it. The last entry is
 * the total. */
static void iteration_gpu_clock_accumulate(struct iteration_gpu_clock *c)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i <= c->rows.to - c->rows.from; i++) {
		int64_t own = c->before_ns[i];
		c->before_ns[i] = sum;
		sum += own;
	}
}

static void iteration_gpu_add(struct iteration_gpu *g,
	const struct iteration_gpu_rows *r, bool kernels)
{
	for (uint32_t i = r->rows.from; i < r->rows.to; i++) {
		uint32_t at = i - r->rows.from;
		uint32_t call = r->call_of[at];
		g->total_ns += r->dur_ns[i];
		if (call != CORRELATION_NONE)
			g->called.before_ns[call - g->called.rows.from] +=
				r->dur_ns[i];
		if (kernels)
			g->run.before_ns[at] += r->dur_ns[i];
	}
}

static struct iteration_gpu_rows iteration_gpu_rows_of(struct slice rows,
	const int64_t *start_ns, const int64_t *dur_ns, uint32_t *iteration)
{
	return (struct iteration_gpu_rows){ .rows = rows,
		.start_ns = start_ns,
		.dur_ns = dur_ns,
		.iteration = iteration };
}

bool iteration_gpu_init(struct iteration_gpu *g,
	const struct iteration_input *in, struct iteration_rows *rows,
	struct arena *a)
{
	const struct trace *t = in->t;
	const struct process *proc = in->proc;
	struct iteration_gpu_rows *k = g->kind;

	*g = (struct iteration_gpu){ .t = t,
		.proc = proc,
		.catalog = in->catalog };
	*rows = (struct iteration_rows){
		iteration_gpu_no_iteration(proc->kernel, a),
		iteration_gpu_no_iteration(proc->copy, a),
		iteration_gpu_no_iteration(proc->graph, a)
	};
	if (!rows->kernel || !rows->copy || !rows->graph)
		return false;
	k[ITERATION_KERNEL] = iteration_gpu_rows_of(proc->kernel,
		t->kernel.start_ns, t->kernel.dur_ns, rows->kernel);
	k[ITERATION_COPY] = iteration_gpu_rows_of(proc->copy, t->copy.start_ns,
		t->copy.dur_ns, rows->copy);
	k[ITERATION_GRAPH] = iteration_gpu_rows_of(proc->graph,
		t->graph.start_ns, t->graph.dur_ns, rows->graph);
	k[ITERATION_KERNEL].call_of = in->call_of;
	bool ok = correlation_join_rows(t, proc, t->copy.correlation,
			  t->copy.start_ns, proc->copy, a,
			  &k[ITERATION_COPY].joined) &&
		  correlation_join_rows(t, proc, t->graph.correlation,
			  t->graph.start_ns, proc->graph, a,
			  &k[ITERATION_GRAPH].joined) &&
		  iteration_gpu_clock_init(&g->called, proc->call,
			  t->call.start_ns, a) &&
		  iteration_gpu_clock_init(&g->run, proc->kernel,
			  t->kernel.start_ns, a);
	if (!ok)
		return false;
	k[ITERATION_COPY].call_of = k[ITERATION_COPY].joined;
	k[ITERATION_GRAPH].call_of = k[ITERATION_GRAPH].joined;
	for (int i = 0; i < ITERATION_GPU_KINDS; i++)
		iteration_gpu_add(g, &k[i], i == ITERATION_KERNEL);
	iteration_gpu_clock_accumulate(&g->called);
	iteration_gpu_clock_accumulate(&g->run);
	return true;
}

void iteration_gpu_release(struct iteration_gpu *g, struct arena *a)
{
	for (int i = 0; i < ITERATION_GPU_KINDS; i++)
		arena_drop(a, g->kind[i].joined);
	arena_drop(a, g->called.before_ns);
	arena_drop(a, g->run.before_ns);
	*g = (struct iteration_gpu){ 0 };
}

void iteration_gpu_forget(struct iteration_gpu *g)
{
	for (int i = 0; i < ITERATION_GPU_KINDS; i++) {
		const struct iteration_gpu_rows *r = &g->kind[i];
		memset(r->iteration, 0xFF,
			(size_t)(r->rows.to - r->rows.from) *
				sizeof *r->iteration);
	}
}

/* How many of the rows start before a moment. */
static uint32_t iteration_gpu_clock_before(const struct iteration_gpu_clock *c,
	int64_t at_ns)
{
	uint32_t from = c->rows.from, to = c->rows.to;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (c->start_ns[middle] < at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from - c->rows.from;
}

int64_t iteration_gpu_clock_ns(const struct iteration_gpu_clock *c,
	int64_t from_ns, int64_t to_ns)
{
	return from_ns < to_ns
		       ? c->before_ns[iteration_gpu_clock_before(c, to_ns)] -
				 c->before_ns[iteration_gpu_clock_before(c,
					 from_ns)]
		       : 0;
}

bool iteration_gpu_span(const struct iteration_gpu *g, int64_t *from_ns,
	int64_t *to_ns)
{
	bool any = false;

	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		const struct iteration_gpu_rows *r = &g->kind[k];
		for (uint32_t i = r->rows.from; i < r->rows.to; i++) {
			int64_t end = r->start_ns[i] + r->dur_ns[i];
			if (!any || r->start_ns[i] < *from_ns)
				*from_ns = r->start_ns[i];
			if (!any || end > *to_ns)
				*to_ns = end;
			any = true;
		}
	}
	return any;
}

void iteration_gpu_claim(struct iteration_gpu *g, const struct iterations *c)
{
	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		struct iteration_gpu_rows *r = &g->kind[k];
		uint32_t at = 0; /* rows and windows both ascend */
		for (uint32_t i = r->rows.from; i < r->rows.to; i++) {
			int64_t start = r->start_ns[i];
			while (at < c->n &&
				c->iterations[at].start_ns +
						c->iterations[at].dur_ns <=
					start)
				at++;
			uint32_t *of = &r->iteration[i - r->rows.from];
			if (*of == ITERATION_NONE && at < c->n &&
				c->iterations[at].start_ns <= start)
				*of = at;
		}
	}
}

/* A stream of a device. Hashed as bytes, so it must contain no padding. */
struct iteration_gpu_stream {
	int64_t device, stream;
};

struct iteration_gpu_weight {
	int64_t ns;
	uint32_t n;
};

struct iteration_gpu_sequence_maker {
	struct period_sequence *s;
	const struct trace *t;
	struct names streams, graphs;
	uint32_t *stream_of; /* by position in the sequence: id in `streams` */
	struct iteration_gpu_weight *weight; /* by id of a stream */
	uint32_t cap;
};

static bool iteration_gpu_add_weight(struct iteration_gpu_sequence_maker *m,
	struct arena *a, struct iteration_gpu_stream l, int64_t ns)
{
	uint32_t id = names_put(&m->streams, (const char *)&l, sizeof l);

	if (id == NAMES_NONE)
		return false;
	if (id >= m->cap) {
		uint32_t cap = (id + 1) * 2;
		struct iteration_gpu_weight *grown =
			arena_grow(a, m->weight, cap * sizeof *grown);
		if (!grown)
			return false;
		for (uint32_t i = m->cap; i < cap; i++)
			grown[i] = (struct iteration_gpu_weight){ 0 };
		m->weight = grown;
		m->cap = cap;
	}
	m->weight[id].ns += ns;
	m->weight[id].n++;
	m->stream_of[m->s->n] = id;
	return true;
}

/* Appends one row to the sequence. */
static bool iteration_gpu_add_kernel(struct iteration_gpu_sequence_maker *m,
	struct arena *a, uint32_t row, uint32_t kernel)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct period_sequence *s = m->s;
	struct iteration_gpu_stream l = { k->device[row], k->stream[row] };

	s->name[s->n] = kernel;
	s->start_ns[s->n] = k->start_ns[row];
	s->dur_ns[s->n] = k->dur_ns[row];
	bool ok = iteration_gpu_add_weight(m, a, l, k->dur_ns[row]);
	s->total_ns += k->dur_ns[row];
	s->n++;
	return ok;
}

static bool iteration_gpu_add_graph(struct iteration_gpu_sequence_maker *m,
	struct arena *a, uint32_t row, uint32_t kernels_n)
{
	const struct graph_rows *g = &m->t->graph;
	struct period_sequence *s = m->s;
	struct iteration_gpu_stream l = { g->device[row], g->stream[row] };
	int64_t key[2] = { g->graph_id[row], g->graph_exec[row] };
	uint32_t id = names_put(&m->graphs, (const char *)key, sizeof key);

	s->name[s->n] = kernels_n + id - 1;
	s->start_ns[s->n] = g->start_ns[row];
	s->dur_ns[s->n] = g->dur_ns[row];
	bool ok = id != NAMES_NONE &&
		  iteration_gpu_add_weight(m, a, l, g->dur_ns[row]);
	s->total_ns += g->dur_ns[row];
	s->n++;
	return ok;
}

static bool iteration_gpu_merge(struct iteration_gpu_sequence_maker *m,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a)
{
	struct slice k = g->proc->kernel, r = g->proc->graph;
	uint32_t i = k.from, j = r.from;
	bool ok = true;

	while (ok && (i < k.to || j < r.to)) {
		bool graph = i == k.to ||
			     (j < r.to && m->t->graph.start_ns[j] <
						  m->t->kernel.start_ns[i]);
		if (graph) {
			ok = iteration_gpu_add_graph(m, a, j++, kernels_n);
			continue;
		}
		ok = iteration_gpu_add_kernel(m, a, i, kernel_of[i - k.from]);
		i++;
	}
	return ok;
}

/* The stream with most launches of the busiest device, in *main. False if the arena
 * is full. */
static bool iteration_gpu_main_stream(const struct iteration_gpu_sequence_maker
					      *m,
	struct arena *a, uint32_t *main)
{
	uint32_t n = m->streams.n;
	uint32_t *of = arena_grow(a, NULL, n * sizeof *of);
	int64_t *ns = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *ns);
	int64_t best_ns = -1;
	struct names devices;

	if (!of || !ns || !names_init(&devices, a))
		return false;
	for (uint32_t i = 1; i < n; i++) {
		const struct iteration_gpu_stream *l =
			(const void *)names_text(&m->streams, i);
		of[i] = names_put(&devices, (const char *)&l->device,
			sizeof l->device);
		if (of[i] == NAMES_NONE)
			return false;
		ns[of[i]] += m->weight[i].ns;
	}
	*main = 0;
	for (uint32_t i = 1; i < n; i++)
		if (ns[of[i]] > best_ns ||
			(ns[of[i]] == best_ns &&
				m->weight[i].n > m->weight[*main].n)) {
			best_ns = ns[of[i]];
			*main = i;
		}
	arena_drop(a, of);
	arena_drop(a, ns);
	return true;
}

bool iteration_gpu_sequence(struct period_sequence *s,
	const struct iteration_gpu *g, const uint32_t *kernel_of,
	uint32_t kernels_n, struct arena *a)
{
	struct iteration_gpu_sequence_maker m = { .s = s, .t = g->t };
	size_t n = (size_t)(g->proc->kernel.to - g->proc->kernel.from) +
		   (g->proc->graph.to - g->proc->graph.from) + 1;

	*s = (struct period_sequence){
		.name = arena_grow(a, NULL, n * sizeof *s->name),
		.start_ns = arena_grow(a, NULL, n * sizeof *s->start_ns),
		.dur_ns = arena_grow(a, NULL, n * sizeof *s->dur_ns),
		.main = arena_grow(a, NULL, n * sizeof *s->main),
	};
	m.stream_of = arena_grow(a, NULL, n * sizeof *m.stream_of);
	if (!s->name || !s->start_ns || !s->dur_ns || !s->main ||
		!m.stream_of || !names_init(&m.streams, a) ||
		!names_init(&m.graphs, a) ||
		!iteration_gpu_merge(&m, g, kernel_of, kernels_n, a))
		return false;
	s->names_n = kernels_n + m.graphs.n - 1;
	uint32_t main;
	if (!iteration_gpu_main_stream(&m, a, &main))
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (m.stream_of[i] == main)
			s->main[s->main_n++] = i;
	arena_drop(a, m.stream_of);
	return true;
}

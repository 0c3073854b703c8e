/* iteration_gpu.c - calls joined, time added up along both clocks. */
#include "iteration_gpu.h"
#include "correlation.h"
#include <string.h>

static uint32_t *nowhere(struct slice rows, struct arena *a)
{
	size_t n = (size_t)(rows.to - rows.from) + 1;
	uint32_t *cycle = arena_grow(a, NULL, n * sizeof *cycle);

	if (cycle)
		memset(cycle, 0xFF, n * sizeof *cycle);
	return cycle;
}

static bool clock_sum(struct cycle_clock *c, struct slice rows,
	const int64_t *start_ns, struct arena *a)
{
	size_t n = (size_t)(rows.to - rows.from) + 1;

	c->rows = rows;
	c->start_ns = start_ns;
	c->before_ns = arena_grow(a, NULL, n * sizeof *c->before_ns);
	return c->before_ns;
}

/* Rows' own times become what lies before each; from the last to the end. */
static void clock_add_up(struct cycle_clock *c)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i <= c->rows.to - c->rows.from; i++) {
		int64_t own = c->before_ns[i];
		c->before_ns[i] = sum;
		sum += own;
	}
}

static void add(struct cycle_gpu *g, const struct cycle_gpu_rows *r,
	bool kernels)
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

static struct cycle_gpu_rows rows_of(struct slice rows, const int64_t *start_ns,
	const int64_t *dur_ns, uint32_t *cycle)
{
	return (struct cycle_gpu_rows){ .rows = rows,
		.start_ns = start_ns,
		.dur_ns = dur_ns,
		.cycle = cycle };
}

bool cycle_gpu_init(struct cycle_gpu *g, const struct trace *t,
	const struct process *proc, const uint32_t *call_of,
	struct cycle_rows *rows, struct arena *a)
{
	struct cycle_gpu_rows *k = g->kind;

	*g = (struct cycle_gpu){ .t = t, .proc = proc };
	*rows = (struct cycle_rows){ nowhere(proc->kernel, a),
		nowhere(proc->copy, a), nowhere(proc->graph, a) };
	if (!rows->kernel || !rows->copy || !rows->graph)
		return false;
	k[CYCLE_KERNEL] = rows_of(proc->kernel, t->kernel.start_ns,
		t->kernel.dur_ns, rows->kernel);
	k[CYCLE_COPY] = rows_of(proc->copy, t->copy.start_ns, t->copy.dur_ns,
		rows->copy);
	k[CYCLE_GRAPH] = rows_of(proc->graph, t->graph.start_ns,
		t->graph.dur_ns, rows->graph);
	k[CYCLE_KERNEL].call_of = call_of;
	bool ok = correlation_join_rows(t, proc, t->copy.correlation,
			  t->copy.start_ns, proc->copy, a,
			  &k[CYCLE_COPY].joined) &&
		  correlation_join_rows(t, proc, t->graph.correlation,
			  t->graph.start_ns, proc->graph, a,
			  &k[CYCLE_GRAPH].joined) &&
		  clock_sum(&g->called, proc->call, t->call.start_ns, a) &&
		  clock_sum(&g->run, proc->kernel, t->kernel.start_ns, a);
	if (!ok)
		return false;
	k[CYCLE_COPY].call_of = k[CYCLE_COPY].joined;
	k[CYCLE_GRAPH].call_of = k[CYCLE_GRAPH].joined;
	for (int i = 0; i < CYCLE_GPU_KINDS; i++)
		add(g, &k[i], i == CYCLE_KERNEL);
	clock_add_up(&g->called);
	clock_add_up(&g->run);
	return true;
}

void cycle_gpu_release(struct cycle_gpu *g, struct arena *a)
{
	for (int i = 0; i < CYCLE_GPU_KINDS; i++)
		arena_drop(a, g->kind[i].joined);
	arena_drop(a, g->called.before_ns);
	arena_drop(a, g->run.before_ns);
	*g = (struct cycle_gpu){ 0 };
}

void cycle_gpu_forget(struct cycle_gpu *g)
{
	for (int i = 0; i < CYCLE_GPU_KINDS; i++) {
		const struct cycle_gpu_rows *r = &g->kind[i];
		memset(r->cycle, 0xFF,
			(size_t)(r->rows.to - r->rows.from) * sizeof *r->cycle);
	}
}

/* How many of the rows start before a moment. */
static uint32_t before(const struct cycle_clock *c, int64_t at_ns)
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

int64_t cycle_clock_ns(const struct cycle_clock *c, int64_t from_ns,
	int64_t to_ns)
{
	return from_ns < to_ns ? c->before_ns[before(c, to_ns)] -
					 c->before_ns[before(c, from_ns)]
			       : 0;
}

bool cycle_gpu_span(const struct cycle_gpu *g, int64_t *from_ns, int64_t *to_ns)
{
	bool any = false;

	for (int k = 0; k < CYCLE_GPU_KINDS; k++) {
		const struct cycle_gpu_rows *r = &g->kind[k];
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

/* cycle_seq.c - two kinds merged, streams weighed. */
#include "cycle_seq.h"

/* A stream of a device; hashed as bytes, so it has no gaps. */
struct lane {
	int64_t device, stream;
};

struct weight {
	int64_t ns;
	uint32_t n;
};

struct maker {
	struct cycle_seq *s;
	const struct trace *t;
	struct names lanes, graphs;
	uint32_t *lane_of; /* by place */
	struct weight *weight; /* by id of a lane */
	uint32_t cap;
};

static bool weigh(struct maker *m, struct arena *a, struct lane l, int64_t ns)
{
	uint32_t id = names_put(&m->lanes, (const char *)&l, sizeof l);

	if (id == NAMES_NONE)
		return false;
	if (id >= m->cap) {
		uint32_t cap = (id + 1) * 2;
		struct weight *grown =
			arena_grow(a, m->weight, cap * sizeof *grown);
		if (!grown)
			return false;
		for (uint32_t i = m->cap; i < cap; i++)
			grown[i] = (struct weight){ 0 };
		m->weight = grown;
		m->cap = cap;
	}
	m->weight[id].ns += ns;
	m->weight[id].n++;
	m->lane_of[m->s->n] = id;
	return true;
}

/* One row behind the others. */
static bool add_kernel(struct maker *m, struct arena *a, uint32_t row,
	uint32_t kernel)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct cycle_seq *s = m->s;
	struct lane l = { k->device[row], k->stream[row] };

	s->name[s->n] = kernel;
	s->start_ns[s->n] = k->start_ns[row];
	s->dur_ns[s->n] = k->dur_ns[row];
	bool ok = weigh(m, a, l, k->dur_ns[row]);
	s->total_ns += k->dur_ns[row];
	s->n++;
	return ok;
}

static bool add_graph(struct maker *m, struct arena *a, uint32_t row,
	uint32_t kernels_n)
{
	const struct graph_rows *g = &m->t->graph;
	struct cycle_seq *s = m->s;
	struct lane l = { g->device[row], g->stream[row] };
	int64_t key[2] = { g->graph_id[row], g->graph_exec[row] };
	uint32_t id = names_put(&m->graphs, (const char *)key, sizeof key);

	s->name[s->n] = kernels_n + id - 1;
	s->start_ns[s->n] = g->start_ns[row];
	s->dur_ns[s->n] = g->dur_ns[row];
	bool ok = id != NAMES_NONE && weigh(m, a, l, g->dur_ns[row]);
	s->total_ns += g->dur_ns[row];
	s->n++;
	return ok;
}

static bool merge(struct maker *m, const struct cycle_gpu *g,
	const uint32_t *kernel_of, uint32_t kernels_n, struct arena *a)
{
	struct slice k = g->proc->kernel, r = g->proc->graph;
	uint32_t i = k.from, j = r.from;
	bool ok = true;

	while (ok && (i < k.to || j < r.to)) {
		bool graph = i == k.to ||
			     (j < r.to && m->t->graph.start_ns[j] <
						  m->t->kernel.start_ns[i]);
		if (graph) {
			ok = add_graph(m, a, j++, kernels_n);
			continue;
		}
		ok = add_kernel(m, a, i, kernel_of[i - k.from]);
		i++;
	}
	return ok;
}

/* The stream with most launches of the busiest device. */
static uint32_t richest(const struct maker *m)
{
	uint32_t best = 0;
	int64_t best_ns = -1;

	for (uint32_t i = 1; i < m->lanes.n; i++) {
		const struct lane *l = (const void *)names_text(&m->lanes, i);
		int64_t device_ns = 0;
		for (uint32_t j = 1; j < m->lanes.n; j++) {
			const struct lane *o =
				(const void *)names_text(&m->lanes, j);
			if (o->device == l->device)
				device_ns += m->weight[j].ns;
		}
		if (device_ns > best_ns ||
			(device_ns == best_ns &&
				m->weight[i].n > m->weight[best].n)) {
			best_ns = device_ns;
			best = i;
		}
	}
	return best;
}

bool cycle_seq_from(struct cycle_seq *s, const struct cycle_gpu *g,
	const uint32_t *kernel_of, uint32_t kernels_n, struct arena *a)
{
	struct maker m = { .s = s, .t = g->t };
	size_t n = (size_t)(g->proc->kernel.to - g->proc->kernel.from) +
		   (g->proc->graph.to - g->proc->graph.from) + 1;

	*s = (struct cycle_seq){
		.name = arena_grow(a, NULL, n * sizeof *s->name),
		.start_ns = arena_grow(a, NULL, n * sizeof *s->start_ns),
		.dur_ns = arena_grow(a, NULL, n * sizeof *s->dur_ns),
		.main = arena_grow(a, NULL, n * sizeof *s->main),
	};
	m.lane_of = arena_grow(a, NULL, n * sizeof *m.lane_of);
	if (!s->name || !s->start_ns || !s->dur_ns || !s->main || !m.lane_of ||
		!names_init(&m.lanes, a) || !names_init(&m.graphs, a) ||
		!merge(&m, g, kernel_of, kernels_n, a))
		return false;
	s->names_n = kernels_n + m.graphs.n - 1;
	uint32_t lane = richest(&m);
	for (uint32_t i = 0; i < s->n; i++)
		if (m.lane_of[i] == lane)
			s->main[s->main_n++] = i;
	arena_drop(a, m.lane_of);
	return true;
}

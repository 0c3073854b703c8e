/* iteration_rows.h - sets iterations and assigns rows to them, so that no
 * test needs to find them. */
#pragma once
#include "kernels.h"
#include "pattern.h"
#include "iteration_find.h"
#include "world.h"

struct given {
	struct iteration iterations[64];
	uint32_t kernel[256], copy[256], graph[256];
	uint32_t *kernel_of;
};

/* Adds a window of [start, start + dur), which is kept. */
static inline void given_iteration(struct world *w, struct given *g,
	int64_t start_ns, int64_t dur_ns)
{
	struct iterations *all = &w->p.iterations;
	g->iterations[all->n] = (struct iteration){ .number = all->n,
		.start_ns = start_ns,
		.dur_ns = dur_ns };
	all->iterations = g->iterations;
	all->n++;
	all->kept_n++;
}

/* A row belongs to the iteration whose window contains its start. */
static inline void given_by_window(const struct world *w, const int64_t *start,
	struct slice rows, uint32_t *of)
{
	const struct iterations *all = &w->p.iterations;
	int64_t first = trace_first_ns(&w->t, &w->process);
	for (uint32_t i = rows.from; i < rows.to; i++) {
		of[i - rows.from] = ITERATION_NONE;
		for (uint32_t c = 0; c < all->n; c++) {
			int64_t at = start[i] - first;
			const struct iteration *in = &all->iterations[c];
			if (at >= in->start_ns &&
				at < in->start_ns + in->dur_ns)
				of[i - rows.from] = c;
		}
	}
}

/* Makes the kernels of the profile; the iterations must be added before. */
static inline void given_rows(struct world *w, struct given *g)
{
	rows_done(&w->t, &w->process);
	w->p.arena = &w->arena;
	assert_true(kernels_from(&w->t, w->process.kernel, w->families, &w->p,
		&g->kernel_of));
	given_by_window(w, w->t.kernel.start_ns, w->process.kernel, g->kernel);
	given_by_window(w, w->t.copy.start_ns, w->process.copy, g->copy);
	given_by_window(w, w->t.graph.start_ns, w->process.graph, g->graph);
}

static inline void given_patterns(struct world *w, struct given *g)
{
	struct iteration_rows rows = { g->kernel, g->copy, g->graph };
	assert_true(pattern_from(&w->t, 0, g->kernel_of, &rows, &w->p));
}

/* Returns the pattern of a name on a device; NULL if there is none. */
static inline const struct pattern *given_find(const struct world *w,
	const char *name, const char *device)
{
	for (uint32_t i = 0; i < w->p.patterns.n; i++)
		if (!strcmp(w->p.patterns.rows[i].name, name) &&
			!strcmp(w->p.patterns.rows[i].device, device))
			return &w->p.patterns.rows[i];
	return NULL;
}

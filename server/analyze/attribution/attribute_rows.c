/* attribute_rows.c - kernels, copies and graphs go the same way. */
#include "attribute_rows.h"
#include "attribute_copy.h"
#include "attribute_group.h"
#include "attribute_stat.h"
#include "attribute_unknown.h"
#include <inttypes.h>
#include <stdio.h>

enum phase attribute_phase(const struct profile *p, uint32_t cycle)
{
	const struct cycles *c = &p->cycles;

	if (cycle == CYCLE_OF_NONE || cycle >= c->n)
		return PHASE_UNKNOWN;
	uint32_t stratum = c->cycles[cycle].stratum;
	return stratum < c->strata_n ? c->strata[stratum].phase : PHASE_UNKNOWN;
}

/* "128x1x1 / 256x1x1" into `to`, "" where it is not told. */
static void grid_text(const struct trace *t, uint32_t launch, char *to,
	size_t size)
{
	const struct launch_shape *s = trace_launch_shape_at(t, launch);
	const int32_t *g = s->grid, *b = s->block;

	*to = '\0';
	if (g[0] >= 0)
		snprintf(to, size,
			"%" PRId32 "x%" PRId32 "x%" PRId32 " / %" PRId32
			"x%" PRId32 "x%" PRId32,
			g[0], g[1], g[2], b[0], b[1], b[2]);
}

static bool kernels(const struct attribution *at, struct launch_groups *g)
{
	const struct trace *t = at->trace;
	uint32_t from = at->proc->kernel.from;
	char grid[96];

	for (uint32_t i = 0; i < at->proc->kernel.to - from; i++) {
		const struct attributed *is = &at->of[i];
		*grid = '\0';
		if (is->operator&& !is->sizes)
			grid_text(t, t->kernel.launch[from + i], grid,
				sizeof grid);
		if (!launch_groups_add(g, is, grid, t->kernel.dur_ns[from + i]))
			return false;
	}
	return true;
}

static bool graphs(const struct attribution *at,
	const struct cycle_rows *cycles, struct launch_groups *g)
{
	struct slice rows = at->proc->graph;

	for (uint32_t i = rows.from; i < rows.to; i++) {
		struct attributed is = { .known = KNOWN_NOT,
			.phase = attribute_phase(at->profile,
				cycles->graph[i - rows.from]),
			.call = LAUNCH_NO_CALL };
		if (!launch_groups_add(g, &is, "", at->trace->graph.dur_ns[i]))
			return false;
	}
	return true;
}

bool attribute_rows(const struct attribution *at,
	const struct cycle_rows *cycles)
{
	const struct process *proc = at->proc;
	uint32_t n = proc->kernel.to - proc->kernel.from + proc->copy.to -
		     proc->copy.from + proc->graph.to - proc->graph.from;
	struct launch_groups g;

	bool ok = launch_groups_init(&g, at->arena, at->calls, n) &&
		  kernels(at, &g) && attribute_copy(at, cycles, &g) &&
		  graphs(at, cycles, &g) && attribute_stat(at, &g) &&
		  attribute_unknown(at);
	launch_groups_release(&g);
	return ok;
}

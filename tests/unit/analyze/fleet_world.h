/* fleet_world.h - makes runs one by one, and computes the cells and rows that
 * are their sums. */
#pragma once
#include "fleet.h"
#include <string.h>

enum { USES_MAX = 4, FLEET_RUNS = 64 };

/* The time that one run spent on an operator, by dtype and phase. */
struct world_use {
	const char *op;
	enum dtype dtype;
	enum phase phase;
	double s, sized_s, bound_s, sol_s, compute_s, headroom_s, over_s;
	double flops, bytes;
};

struct world_run {
	const char *project, *workload, *platform;
	double hours, gpu_s;
	struct world_use uses[USES_MAX];
	int n;
};

static inline bool world_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static inline uint32_t world_cell(struct fleet *f, const struct world_run *r)
{
	for (uint32_t i = 0; i < f->cells_n; i++)
		if (world_same(f->cells[i].project, r->project) &&
			world_same(f->cells[i].workload, r->workload) &&
			world_same(f->cells[i].platform, r->platform))
			return i;
	f->cells[f->cells_n] = (struct fleet_cell){ .project = r->project,
		.workload = r->workload,
		.platform = r->platform,
		.framework = "" };
	return f->cells_n++;
}

/* Whether an earlier entry of the run has the same operator. */
static inline bool world_again(const struct world_run *r, int i)
{
	for (int k = 0; k < i; k++)
		if (world_same(r->uses[k].op, r->uses[i].op))
			return true;
	return false;
}

static inline struct fleet_row *world_row(struct fleet *f, uint32_t cell,
	const struct world_use *u)
{
	for (uint32_t i = 0; i < f->rows_n; i++) {
		struct fleet_row *r = &f->rows[i];
		if (r->cell == cell && r->dtype == u->dtype &&
			r->phase == u->phase && world_same(r->op, u->op))
			return r;
	}
	f->rows[f->rows_n] = (struct fleet_row){ .cell = cell,
		.op = u->op,
		.dtype = u->dtype,
		.phase = u->phase };
	return &f->rows[f->rows_n++];
}

static inline void world_add(struct fleet *f, uint32_t cell,
	const struct world_run *r, int i)
{
	const struct world_use *u = &r->uses[i];
	struct fleet_row *row = world_row(f, cell, u);
	double g = r->hours;
	row->runs += !world_again(r, i);
	row->launches += 2;
	row->calls++;
	row->bound_calls += u->bound_s > 0;
	row->total_s += u->s;
	row->share += u->s / r->gpu_s;
	row->weighted_s += g * u->s;
	row->sized_s += g * u->sized_s;
	row->bound_s += g * u->bound_s;
	row->sol_s += g * u->sol_s;
	row->compute_s += g * u->compute_s;
	row->headroom_s += g * u->headroom_s;
	row->over_s += g * u->over_s;
	row->flops += g * u->flops;
	row->bytes += g * u->bytes;
}

/* `cells` and `rows` must have room for all entries. */
static inline struct fleet world_fleet(const struct world_run *runs, int n,
	struct fleet_cell *cells, struct fleet_row *rows)
{
	struct fleet f = { .cells = cells, .rows = rows };
	for (int i = 0; i < n; i++) {
		uint32_t c = world_cell(&f, &runs[i]);
		cells[c].runs++;
		cells[c].weight += runs[i].hours;
		cells[c].total_s += runs[i].gpu_s;
		cells[c].weighted_s += runs[i].hours * runs[i].gpu_s;
		for (int u = 0; u < runs[i].n; u++)
			world_add(&f, c, &runs[i], u);
	}
	return f;
}

/* derived_breakdown.c - the layers of a run (sections, blocks, rows), and
 * kernels launched together. */
#include "derived_table.h"
#include "breakdown_word.h"
#include "column.h"

/* Layers are detected in launches. A table of statistics or patterns has no
 * launches. */
static const struct breakdown *derived_breakdown_of(
	const struct derived_run *run)
{
	static const struct breakdown none;
	return run->profile->content == CONTENT_LAUNCHES
		       ? &run->profile->breakdown
		       : &none;
}

/* Writes bars as three columns. */
static void derived_write_bars(struct bulk *b, const struct breakdown *d)
{
	struct arena a = { 0 };
	int64_t *layer = arena_array(&a, int64_t, d->bars_n);
	int64_t *block = arena_array(&a, int64_t, d->bars_n);
	double *mean = arena_array(&a, double, d->bars_n);
	for (uint32_t i = 0; i < d->bars_n; i++) {
		layer[i] = d->bars[i].layer;
		block[i] = d->bars[i].block;
		mean[i] = d->bars[i].mean_ns;
	}
	bulk_int4(b, (int32_t)d->bars_n);
	bulk_packed(b, layer, d->bars_n);
	bulk_packed(b, block, d->bars_n);
	bulk_packed(b, mean, d->bars_n);
	arena_release(&a);
}

static void derived_write_breakdown(struct bulk *b,
	const struct derived_run *run)
{
	const struct breakdown *d = derived_breakdown_of(run);
	if (run->profile->content != CONTENT_LAUNCHES)
		return;
	bulk_row(b, 19 + 2 * TIME_COLUMNS_N);
	bulk_int8(b, run->id);
	bulk_text(b, breakdown_word_layers[d->detector]);
	bulk_float8(b, d->confidence);
	bulk_text(b, d->anchor);
	bulk_text(b, d->why);
	bulk_int4_known(b, d->device);
	bulk_bool(b, d->realigned);
	bulk_int4(b, (int32_t)d->passes);
	bulk_text(b, d->stratum);
	column_write_time(b, &d->pass);
	bulk_int4(b, (int32_t)d->layers);
	column_write_time(b, &d->layered);
	bulk_int8(b, d->wall_ns);
	bulk_int8(b, d->overlap_ns);
	bulk_int8(b, d->idle_ns);
	bulk_int8(b, d->other_ns);
	bulk_int8(b, d->exposed_comm_ns);
	derived_write_bars(b, d);
}

#define ITERATION_TIME TIME_COLUMNS_OF("iteration")
#define LAYERED_TIME TIME_COLUMNS_OF("layered")

static const struct derived_table derived_breakdown = {
	"COPY run_breakdown (run_id, detector, confidence, anchor, reason, "
	"device, realigned, iterations, stratum, " ITERATION_TIME ", "
	"layers, " LAYERED_TIME ", "
	"wall_ns, overlap_ns, idle_ns, other_ns, exposed_comm_ns, "
	"bars, bar_layer, bar_block, bar_mean_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_breakdown,
};

static void derived_write_section_work(struct bulk *b,
	const struct section_work *w)
{
	bulk_float8(b, w->compute_ns);
	bulk_float8(b, w->memory_ns);
	bulk_float8(b, w->recomputed_ns);
	bulk_int8(b, w->known_ns);
	bulk_int8(b, w->flops_ns);
	bulk_int8(b, w->recompute_known_ns);
}

static void derived_write_sections(struct bulk *b,
	const struct derived_run *run)
{
	const struct breakdown *d = derived_breakdown_of(run);
	for (uint32_t i = 0; i < d->sections_n; i++) {
		const struct breakdown_section *s = &d->sections[i];
		bulk_row(b, 14 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, breakdown_word_place[s->place]);
		bulk_text(b, s->name);
		bulk_int4(b, (int32_t)s->per_pass);
		bulk_int4(b, (int32_t)s->first);
		bulk_float8_known(b, s->similarity);
		bulk_int8(b, s->instances);
		derived_write_section_work(b, &s->work);
		column_write_time(b, &s->time);
	}
}

static const struct derived_table derived_section = {
	"COPY run_section (run_id, section, position, name, per_iteration, first, "
	"similarity, occurrences, compute_ns, memory_ns, recomputed_ns, "
	"work_known_ns, flops_ns, recompute_known_ns, " TIME_COLUMNS
	") FROM STDIN (FORMAT binary)",
	derived_write_sections,
};

static void derived_write_blocks(struct bulk *b, const struct derived_run *run)
{
	const struct breakdown *d = derived_breakdown_of(run);
	for (uint32_t i = 0; i < d->blocks_n; i++) {
		const struct breakdown_block *s = &d->blocks[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)s->section);
		bulk_text(b, breakdown_word_block[s->kind]);
		bulk_index(b, s->parallel_to);
		bulk_float8_known(b, s->sum_ns);
		bulk_int8(b, s->exclusive_ns);
		bulk_int8(b, s->overlapped_ns);
	}
}

static const struct derived_table derived_block = {
	"COPY run_block (run_id, block, section, kind, parallel_to, sum_ns, "
	"exclusive_ns, overlapped_ns) FROM STDIN (FORMAT binary)",
	derived_write_blocks,
};

static void derived_write_roles(struct bulk *b, layer_roles roles)
{
	const char *words[ROLES];
	uint32_t n = 0;
	for (int i = 0; i < ROLES; i++)
		if (roles & (UINT64_C(1) << i))
			words[n++] = breakdown_word_role[i];
	bulk_texts(b, words, n);
}

static void derived_write_place(struct bulk *b, const struct derived_run *run,
	uint32_t place)
{
	const struct breakdown_row *r = &run->profile->breakdown.rows[place];
	bulk_row(b, 20 + TIME_COLUMNS_N);
	bulk_int8(b, run->id);
	bulk_int4(b, (int32_t)place);
	bulk_int4(b, (int32_t)r->block);
	if (r->kernel == ROW_NO_KERNEL)
		bulk_null(b);
	else
		bulk_int8(b, run->kernels[r->kernel]);
	bulk_text(b, r->operation);
	bulk_text(b, r->operator_);
	bulk_text(b, r->module);
	derived_write_roles(b, r->roles);
	bulk_bool(b, r->role_by_module);
	bulk_int4(b, (int32_t)r->lane);
	bulk_index(b, r->group);
	bulk_int8(b, r->instances);
	bulk_bool(b, r->extra);
	bulk_float8_known(b, r->offset_ns);
	bulk_int8(b, r->exclusive_ns);
	bulk_int8(b, r->overlapped_ns);
	bulk_int8(b, r->bound_launches);
	bulk_int8(b, r->bound_ns);
	bulk_int8(b, r->sol_ps);
	bulk_int8_known(b, derived_has_clock(run) ? r->clock_sol_ps : -1);
	column_write_time(b, &r->time);
}

static void derived_write_places(struct bulk *b, const struct derived_run *run)
{
	if (run->profile->content == CONTENT_LAUNCHES)
		for (uint32_t i = 0; i < run->profile->breakdown.rows_n; i++)
			derived_write_place(b, run, i);
}

static const struct derived_table derived_place = {
	"COPY run_layer_row (run_id, rank, block, kernel_id, operation, "
	"operator, module, roles, role_by_module, stream, launch_group, occurrences, "
	"extra, offset_ns, exclusive_ns, overlapped_ns, roofline_known_launches, "
	"roofline_known_ns, sol_ps, clock_sol_ps, " TIME_COLUMNS
	") FROM STDIN (FORMAT binary)",
	derived_write_places,
};

static void derived_write_groups(struct bulk *b, const struct derived_run *run)
{
	const struct kernel_groups *gs = &run->profile->groups;
	struct arena a = { 0 };
	for (uint32_t i = 0; i < gs->n; i++) {
		const struct kernel_group *g = &gs->groups[i];
		int64_t *ids = arena_array(&a, int64_t, g->kernels_n);
		for (uint32_t k = 0; k < g->kernels_n; k++)
			ids[k] = run->kernels[g->kernels[k]];
		bulk_row(b, 9);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, breakdown_word_evidence[g->evidence]);
		bulk_int8s(b, ids, g->kernels_n);
		bulk_int8(b, g->support);
		bulk_float8(b, g->confidence);
		bulk_text(b, g->operator_);
		bulk_int8(b, g->total_ns);
		bulk_int8(b, g->alone);
	}
	arena_release(&a);
}

static const struct derived_table derived_group = {
	"COPY run_group (run_id, rank, evidence, kernels, support, "
	"confidence, operator, total_ns, alone) FROM STDIN (FORMAT binary)",
	derived_write_groups,
};

const struct derived_table *const derived_breakdown_tables[] = {
	&derived_breakdown, &derived_section, &derived_block, &derived_place,
	&derived_group, NULL
};

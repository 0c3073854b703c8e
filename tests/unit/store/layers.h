/* layers.h - makes a profile whose layers contain every word and every
 * unknown value, and reads it back. */
#pragma once
#include "breakdown_word.h"
#include "fixture.h"
#include "query_breakdown.h"
#include <math.h>

/* The rows that layered() adds: sections, blocks, a row for each role plus two
 * rows, and groups. */
enum { LAYERS_PLACES = ROLES + 2 };
enum {
	LAYERS_ROWS = SECTION_PLACES + BLOCKS + LAYERS_PLACES + GROUP_EVIDENCES
};

static inline struct time_stats layers_time(uint32_t i)
{
	int64_t v = 10 * (int64_t)i;
	return i % 3 ? (struct time_stats){ .instances = 4,
		.total_ns = v + 4,
		.min_ns = v,
		.max_ns = v + 1,
		.avg_ns = (double)v + 0.1,
		.med_ns = (double)v + 0.2,
		.stddev_ns = 0.3,
		.p90_ns = (double)v + 0.4,
		.p99_ns = (double)v + 0.5,
		.iqr_ns = (double)v + 0.6 }
		     : (struct time_stats){ .min_ns = -1,
			       .max_ns = -1,
			       .avg_ns = NAN,
			       .med_ns = NAN,
			       .stddev_ns = NAN,
			       .p90_ns = NAN,
			       .p99_ns = NAN,
			       .iqr_ns = NAN };
}

static inline struct breakdown_row layers_row(uint32_t i)
{
	bool kernel = i % 3 > 0;
	return (struct breakdown_row){ .block = i % BLOCKS,
		.kernel = kernel ? i % 2 : ROW_NO_KERNEL,
		.operation = kernel ? NULL : "[CUDA memset]",
		.operator_ = i % 2 ? "gemm" : NULL,
		.module = i % 4 ? "self_attn.o_proj" : NULL,
		.roles = i < ROLES    ? UINT64_C(1) << i
			 : i == ROLES ? ROLE_BIT(O_PROJ) | ROLE_BIT(QUANTIZE) |
						ROLE_BIT(STATE)
				      : 0,
		.role_by_module = i % 2,
		.lane = i % 3,
		.group = i % 5 ? i / 5 : ROW_NO_GROUP,
		.time = layers_time(i),
		.instances = 7 + i,
		.extra = i % 7 == 0,
		.offset_ns = i % 6 ? 100.25 * i : (double)NAN,
		.exclusive_ns = i,
		.overlapped_ns = 2 * (int64_t)i,
		.bound_launches = i % 3,
		.bound_ns = INT64_C(1) << i,
		.sol_ps = INT64_C(1) << (i + 10),
		.clock_sol_ps = INT64_C(3) << (i + 9) };
}

static inline void layers_parts(struct arena *a, struct breakdown *d)
{
	d->sections = arena_array(a, struct breakdown_section, SECTION_PLACES);
	d->blocks = arena_array(a, struct breakdown_block, BLOCKS);
	d->rows = arena_array(a, struct breakdown_row, LAYERS_PLACES);
	d->bars = arena_array(a, struct breakdown_bar, 3);
	for (uint32_t i = 0; i < SECTION_PLACES; i++)
		d->sections[i] = (struct breakdown_section){
			.place = (enum section_place)i,
			.name = i % 2 ? "attention + moe" : NULL,
			.instances = 30 + i,
			.per_pass = 3 * i,
			.first = i,
			.time = layers_time(i),
			.similarity = i % 2 ? 0.125 * i : (double)NAN,
			.work = { 3e5 + i, 0.25 * i, 1e5 + i, 70 + i, 60 + i,
				50 + i },
		};
	for (uint32_t i = 0; i < BLOCKS; i++)
		d->blocks[i] = (struct breakdown_block){
			.section = i % SECTION_PLACES,
			.kind = (enum layer_block_kind)i,
			.parallel_to = i % 2 ? i - 1 : UINT32_MAX,
			.sum_ns = i % 4 ? 1000.5 * i : (double)NAN,
			.exclusive_ns = INT64_C(1) << (4 * i),
			.overlapped_ns = i,
		};
	for (uint32_t i = 0; i < LAYERS_PLACES; i++)
		d->rows[i] = layers_row(i);
	d->bars[0] = (struct breakdown_bar){ 0, 0, 12.5 };
	d->bars[1] = (struct breakdown_bar){ 0, 300, 1e12 };
	d->bars[2] = (struct breakdown_bar){ 70000, 1, NAN };
}

static inline void layers_groups(struct arena *a, struct kernel_groups *g)
{
	static const uint32_t kernels[] = { 1, 0, 1 };
	g->groups = arena_array(a, struct kernel_group, GROUP_EVIDENCES);
	g->n = GROUP_EVIDENCES;
	for (uint32_t i = 0; i < g->n; i++)
		g->groups[i] = (struct kernel_group){
			.evidence = (enum group_evidence)i,
			.kernels = kernels,
			.kernels_n = i + 1,
			.support = 50 - i,
			.confidence = 0.5 + 0.25 * i,
			.operator_ = i % 2 ? "gemm" : NULL,
			.total_ns = 1000 - i,
			.alone = i,
		};
}

/* fixture_profile() with layers and groups of its two kernels. */
static inline struct profile layered(struct arena *a)
{
	struct profile p = fixture_profile(a);
	p.breakdown = (struct breakdown){ .detector = LAYERS_PERIOD,
		.confidence = 0.96875,
		.anchor = "rms_norm",
		.device = 1,
		.passes = 5,
		.stratum = "batch 4",
		.pass = layers_time(4),
		.layers = 61,
		.layered = layers_time(3),
		.wall_ns = 10000,
		.overlap_ns = 300,
		.idle_ns = 2000,
		.other_ns = 4,
		.exposed_comm_ns = 500,
		.sections_n = SECTION_PLACES,
		.blocks_n = BLOCKS,
		.rows_n = LAYERS_PLACES,
		.bars_n = 3 };
	layers_parts(a, &p.breakdown);
	p.operators.sm_clock_mhz = 1500;
	layers_groups(a, &p.groups);
	return p;
}

static inline void layers_same_text(const char *x, const char *y)
{
	if (x && y)
		assert_string_equal(x, y);
	else
		assert_ptr_equal(x, y);
}

/* NaN equals NaN; any other double must be equal to the bit. */
static inline void layers_same_real(double x, double y)
{
	if (isnan(y))
		assert_true(isnan(x));
	else
		assert_memory_equal(&x, &y, sizeof x);
}

static inline void layers_same_time(const struct time_stats *x,
	const struct time_stats *y)
{
	assert_int_equal(x->instances, y->instances);
	assert_int_equal(x->total_ns, y->total_ns);
	assert_int_equal(x->min_ns, y->min_ns);
	assert_int_equal(x->max_ns, y->max_ns);
	layers_same_real(x->avg_ns, y->avg_ns);
	layers_same_real(x->med_ns, y->med_ns);
	layers_same_real(x->stddev_ns, y->stddev_ns);
	layers_same_real(x->p90_ns, y->p90_ns);
	layers_same_real(x->p99_ns, y->p99_ns);
}

static inline void layers_same_header(const struct breakdown *x,
	const struct breakdown *y)
{
	assert_int_equal(x->detector, y->detector);
	layers_same_real(x->confidence, y->confidence);
	layers_same_text(x->anchor, y->anchor);
	layers_same_text(x->why, y->why);
	assert_int_equal(x->device, y->device);
	assert_int_equal(x->realigned, y->realigned);
	assert_int_equal(x->passes, y->passes);
	layers_same_text(x->stratum, y->stratum);
	layers_same_time(&x->pass, &y->pass);
	assert_int_equal(x->layers, y->layers);
	layers_same_time(&x->layered, &y->layered);
	assert_int_equal(x->wall_ns, y->wall_ns);
	assert_int_equal(x->overlap_ns, y->overlap_ns);
	assert_int_equal(x->idle_ns, y->idle_ns);
	assert_int_equal(x->other_ns, y->other_ns);
	assert_int_equal(x->exposed_comm_ns, y->exposed_comm_ns);
	assert_int_equal(x->sections_n, y->sections_n);
	assert_int_equal(x->blocks_n, y->blocks_n);
	assert_int_equal(x->rows_n, y->rows_n);
	assert_int_equal(x->bars_n, y->bars_n);
}

static inline void layers_same_row(const struct breakdown_row *x,
	const struct breakdown_row *y)
{
	assert_int_equal(x->block, y->block);
	layers_same_text(x->operation, y->operation);
	layers_same_text(x->operator_, y->operator_);
	layers_same_text(x->module, y->module);
	assert_int_equal(x->roles, y->roles);
	assert_int_equal(x->role_by_module, y->role_by_module);
	assert_int_equal(x->lane, y->lane);
	assert_int_equal(x->group, y->group);
	layers_same_time(&x->time, &y->time);
	assert_int_equal(x->instances, y->instances);
	assert_int_equal(x->extra, y->extra);
	layers_same_real(x->offset_ns, y->offset_ns);
	assert_int_equal(x->exclusive_ns, y->exclusive_ns);
	assert_int_equal(x->overlapped_ns, y->overlapped_ns);
	assert_int_equal(x->bound_launches, y->bound_launches);
	assert_int_equal(x->bound_ns, y->bound_ns);
	assert_int_equal(x->sol_ps, y->sol_ps);
	assert_int_equal(x->clock_sol_ps, y->clock_sol_ps);
}

static inline void layers_same(const struct profile *p,
	const struct breakdown_stored *got)
{
	const struct breakdown *x = &got->breakdown, *y = &p->breakdown;
	layers_same_header(x, y);
	for (uint32_t i = 0; i < y->sections_n; i++) {
		const struct breakdown_section *s = &x->sections[i];
		const struct breakdown_section *t = &y->sections[i];
		assert_int_equal(s->place, t->place);
		layers_same_text(s->name, t->name);
		assert_int_equal(s->instances, t->instances);
		assert_int_equal(s->per_pass, t->per_pass);
		assert_int_equal(s->first, t->first);
		layers_same_time(&s->time, &t->time);
		layers_same_real(s->similarity, t->similarity);
		assert_memory_equal(&s->work, &t->work, sizeof s->work);
	}
	for (uint32_t i = 0; i < y->blocks_n; i++) {
		const struct breakdown_block *s = &x->blocks[i];
		const struct breakdown_block *t = &y->blocks[i];
		assert_int_equal(s->section, t->section);
		assert_int_equal(s->kind, t->kind);
		assert_int_equal(s->parallel_to, t->parallel_to);
		layers_same_real(s->sum_ns, t->sum_ns);
		assert_int_equal(s->exclusive_ns, t->exclusive_ns);
		assert_int_equal(s->overlapped_ns, t->overlapped_ns);
	}
	for (uint32_t i = 0; i < y->rows_n; i++) {
		const struct breakdown_row *s = &x->rows[i], *t = &y->rows[i];
		layers_same_row(s, t);
		assert_int_equal(s->kernel == ROW_NO_KERNEL,
			t->kernel == ROW_NO_KERNEL);
		if (t->kernel == ROW_NO_KERNEL)
			continue;
		assert_string_equal(got->kernels[s->kernel].name,
			p->kernels[t->kernel].name);
		assert_string_equal(got->kernels[s->kernel].short_name,
			p->kernels[t->kernel].short_name);
	}
	for (uint32_t i = 0; i < y->bars_n; i++) {
		assert_int_equal(x->bars[i].layer, y->bars[i].layer);
		assert_int_equal(x->bars[i].block, y->bars[i].block);
		layers_same_real(x->bars[i].mean_ns, y->bars[i].mean_ns);
	}
}

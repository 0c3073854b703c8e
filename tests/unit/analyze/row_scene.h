/* row_scene.h - makes named launches that are already in layers, as input for
 * rows. */
#pragma once
#include "breakdown_rows.h"
#include "catalog.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { SCENE_ITEMS = 64, SCENE_PLACES = 16, SCENE_KERNELS = 6 };

struct scene {
	struct arena keep, scratch, trace_arena;
	struct trace t;
	struct process proc;
	struct profile p;
	struct profile_kernel kernels[SCENE_KERNELS];
	struct attribution at;
	struct attributed of[SCENE_ITEMS];
	const struct operator_info *by_rule[SCENE_KERNELS];
	struct layer_item items[SCENE_ITEMS];
	uint32_t group_of[SCENE_ITEMS];
	struct layer_pass passes[4];
	struct layer_seq s;
	struct layer_section sections[4];
	struct layer_instance instances[8];
	struct layer_place places[SCENE_PLACES];
	struct layer_named named[SCENE_PLACES];
	uint32_t instance[SCENE_ITEMS], place[SCENE_ITEMS];
	struct layering l;
};

static inline int scene_start(void **state)
{
	static struct scene w;
	static const char *const operations[] = { "[CUDA memset]" };

	memset(&w, 0, sizeof w);
	trace_init(&w.t, &w.trace_arena);
	w.t.processes = &w.proc;
	w.t.processes_n = 1;
	w.p = (struct profile){ .arena = &w.keep,
		.kernels = w.kernels,
		.kernels_n = SCENE_KERNELS };
	w.at = (struct attribution){ .trace = &w.t,
		.proc = &w.proc,
		.profile = &w.p,
		.of = w.of,
		.by_rule = w.by_rule,
		.arena = &w.scratch };
	w.s = (struct layer_seq){ .trace = &w.t,
		.proc = &w.proc,
		.profile = &w.p,
		.items = w.items,
		.lanes = 2,
		.symbols = SCENE_KERNELS + 1,
		.operations = operations,
		.passes = w.passes,
		.stratum = LAYER_NONE,
		.arena = &w.scratch };
	w.l = (struct layering){ .detector = LAYERS_PERIOD,
		.confidence = 1,
		.sections = w.sections,
		.instances = w.instances,
		.places = w.places,
		.instance = w.instance,
		.place = w.place };
	*state = &w;
	return 0;
}

static inline int scene_stop(void **state)
{
	struct scene *w = *state;

	arena_release(&w->keep);
	arena_release(&w->scratch);
	arena_release(&w->trace_arena);
	return 0;
}

static inline void scene_pass(struct scene *w, int64_t start_ns, int64_t end_ns)
{
	w->passes[w->s.passes_n++] =
		(struct layer_pass){ start_ns, end_ns, LAYER_NONE };
}

/* scene_place() adds its places. */
static inline void scene_section(struct scene *w, enum section_place is,
	const char *name)
{
	w->sections[w->l.sections_n++] =
		(struct layer_section){ is, name, w->l.places_n, 0 };
}

static inline void scene_place(struct scene *w, uint32_t symbol, uint32_t lane,
	enum layer_block_kind block, layer_roles roles)
{
	uint32_t section = w->l.sections_n - 1;

	w->places[w->l.places_n] = (struct layer_place){ .section = section,
		.symbol = symbol,
		.lane = lane };
	w->named[w->l.places_n++] =
		(struct layer_named){ .block = block, .roles = roles };
	w->sections[section].places_n++;
}

static inline void scene_instance(struct scene *w, uint32_t section,
	uint32_t pass, uint32_t number)
{
	w->instances[w->l.instances_n++] =
		(struct layer_instance){ section, pass, number };
}

/* Adds a launch to the last instance, or to none if `place` is LAYER_NONE.
 * Launches with the same call number share a call; 0 means no call. */
static inline uint32_t scene_launch(struct scene *w, uint32_t place,
	uint32_t kernel, int64_t start_ns, int64_t dur_ns, uint32_t call)
{
	uint32_t i = w->s.n++;
	bool of_pass = place != LAYER_NONE;

	assert_true(i < SCENE_ITEMS);
	w->of[i] = (struct attributed){ .call = call ? call : LAUNCH_NO_CALL };
	if (call >= w->at.calls)
		w->at.calls = call + 1;
	w->items[i] = (struct layer_item){ .start_ns = start_ns,
		.dur_ns = dur_ns,
		.row = i,
		.symbol = of_pass ? w->places[place].symbol : kernel,
		.lane = of_pass ? w->places[place].lane : 0,
		.kind = kernel < SCENE_KERNELS ? LAYER_KERNEL : LAYER_COPY,
		.is = kernel < SCENE_KERNELS ? &w->of[i] : NULL };
	w->group_of[i] = UINT32_MAX;
	w->place[i] = place;
	w->instance[i] = of_pass ? w->l.instances_n - 1 : LAYER_NONE;
	return i;
}

static inline const struct breakdown *scene_rows(struct scene *w)
{
	struct breakdown *b = &w->p.breakdown;
	int64_t sum = 0;

	assert_true(breakdown_rows(&w->at, &w->s, &w->l, w->named, w->group_of,
		&w->keep, b));
	for (uint32_t i = 0; i < b->rows_n; i++)
		sum += b->rows[i].exclusive_ns;
	assert_int_equal(sum + b->other_ns + b->overlap_ns + b->idle_ns,
		b->wall_ns);
	return b;
}

#define SCENE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, scene_start, scene_stop)

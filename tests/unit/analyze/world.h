/* world.h - a trace to add rows to (rows.h), and the profile made from it. */
#pragma once
#include "analyze.h"
#include "attribute.h"
#include "rows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct world {
	struct arena trace_arena, arena;
	struct trace t;
	struct process process;
	const struct catalog *families;
	const struct graph_book *book;
	struct profile p;
	struct err e;
};

/* All worlds of a test program share one catalog: it takes 25 ms to open with the
 * sanitizers, and some tests make hundreds of worlds. */
static inline int world_start(void **state)
{
	static struct catalog *families;
	static struct world w;
	w = (struct world){ 0 };
	if (!families)
		families = catalog_new(NULL, &w.e);
	w.families = families;
	trace_init(&w.t, &w.trace_arena);
	w.t.format = "kineto";
	*state = &w;
	return families ? 0 : -1;
}

static inline int world_stop(void **state)
{
	struct world *w = *state;
	arena_release(&w->trace_arena);
	arena_release(&w->arena);
	return 0;
}

static inline bool world_analyse(struct world *w)
{
	rows_done(&w->t, &w->process);
	return profile_from(&w->t, 0, w->families, w->book, &w->arena, &w->p,
		&w->e);
}

#define WORLD_TEST(name) \
	cmocka_unit_test_setup_teardown(name, world_start, world_stop)

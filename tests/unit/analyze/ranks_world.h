/* ranks_world.h - makes runs with collectives and checks the result of
 * ranks_from(). */
#pragma once
#include "catalog.h"
#include "ranks.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { RUNS = 18 };

struct world {
	struct arena arena;
	struct compared_run runs[RUNS];
	uint32_t n;
	struct ranks out;
	struct err e;
};

static inline struct compared_run *run_add(struct world *w, int32_t rank,
	int64_t kernel_ns, int64_t started_utc_ns)
{
	static const char *const device[] = { "H100" };
	struct compared_run *r = &w->runs[w->n++];
	*r = (struct compared_run){ .id = 100 + w->n,
		.rank = rank,
		.world_size = 8,
		.content = CONTENT_LAUNCHES,
		.kernel_ns = kernel_ns,
		.started_utc_ns = started_utc_ns,
		.device_names = device,
		.device_names_n = 1 };
	r->collectives.rows = arena_array(&w->arena, struct collective, 8);
	return r;
}

/* Pairs of a start and a duration. */
static inline void line_add(struct world *w, struct compared_run *r,
	const char *name, int64_t stream, uint32_t n, const int64_t *pairs)
{
	struct collective *c = &r->collectives.rows[r->collectives.n++];
	*c = (struct collective){ .name = name,
		.stream = stream,
		.call = { .elements = -1,
			.bytes = -1,
			.group_handle = -1,
			.group_size = -1,
			.sequence = -1 },
		.n = n };
	c->start_ns = arena_array(&w->arena, int64_t, n + 1);
	c->dur_ns = arena_array(&w->arena, int64_t, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		c->start_ns[i] = pairs[i * 2];
		c->dur_ns[i] = pairs[i * 2 + 1];
	}
}
#define LINE(w, r, name, stream, ...)                                     \
	line_add(w, r, name, stream,                                      \
		sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t) / 2, \
		(int64_t[]){ __VA_ARGS__ })

static inline void analyse(struct world *w)
{
	struct catalog *catalog = catalog_new(NULL, &w->e);
	assert_non_null(catalog);
	assert_true(
		ranks_from(w->runs, w->n, catalog, &w->arena, &w->out, &w->e));
	assert_int_equal(w->out.ranks_n, w->n);
	catalog_free(catalog);
}

static inline int start(void **state)
{
	static struct world w;
	w = (struct world){ 0 };
	*state = &w;
	return 0;
}

static inline int stop(void **state)
{
	struct world *w = *state;
	arena_release(&w->arena);
	return 0;
}

#define RANKS_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

/* compare_sides.h - makes breakdowns to compare. */
#pragma once
#include "breakdown_compare.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { MADE_MOST = 40, INSTANCES = 10 };

struct made_side {
	struct breakdown b;
	struct breakdown_section sections[MADE_MOST];
	struct breakdown_block blocks[MADE_MOST];
	struct breakdown_row rows[MADE_MOST];
	const char *kernels[MADE_MOST];
	struct kernel_identity same[MADE_MOST];
	uint32_t same_n;
};

struct made {
	struct made_side side[BREAKDOWN_COMPARE_MAX];
	struct breakdown_compare_side sides[BREAKDOWN_COMPARE_MAX];
	struct breakdown_compare out;
	struct arena arena;
};

static inline void made_section(struct made_side *m, enum section_place place,
	const char *name)
{
	m->sections[m->b.sections_n++] = (struct breakdown_section){
		.place = place,
		.name = name,
		.instances = INSTANCES,
		.per_pass = 1,
	};
}

static inline void made_block(struct made_side *m, enum layer_block_kind kind)
{
	m->blocks[m->b.blocks_n++] = (struct breakdown_block){
		.section = m->b.sections_n - 1,
		.kind = kind,
		.parallel_to = UINT32_MAX,
	};
}

/* A kernel that takes `ns` in every instance. */
static inline struct breakdown_row *made_row(struct made_side *m,
	const char *kernel, layer_roles roles, int64_t ns)
{
	struct breakdown_row *r = &m->rows[m->b.rows_n];
	m->kernels[m->b.rows_n] = kernel;
	*r = (struct breakdown_row){ .block = m->b.blocks_n - 1,
		.kernel = m->b.rows_n++,
		.roles = roles,
		.group = ROW_NO_GROUP,
		.instances = INSTANCES,
		.time = { .instances = INSTANCES,
			.total_ns = ns * INSTANCES } };
	return r;
}

static inline void made_compare(struct made *m, uint32_t sides)
{
	for (uint32_t s = 0; s < sides; s++) {
		struct made_side *is = &m->side[s];
		is->b.sections = is->sections;
		is->b.blocks = is->blocks;
		is->b.rows = is->rows;
		m->sides[s] = (struct breakdown_compare_side){
			.breakdown = &is->b,
			.kernels = is->kernels,
			.short_names = is->kernels,
			.same = is->same,
			.same_n = is->same_n,
		};
	}
	assert_true(
		breakdown_compare_from(m->sides, sides, &m->arena, &m->out));
}

/* "rope+store|rope,store 12 15 role": the kernels of each side, their times,
 * and how the rows were matched. */
static inline const char *made_line(struct made *m, uint32_t line)
{
	static const char *const match[] = { "role", "module", "kernel",
		"alone" };
	const struct breakdown_compare_line *l = &m->out.lines[line];
	const char *text = "", *times = "";
	for (uint32_t s = 0; s < m->out.sides_n; s++) {
		const struct breakdown_compare_cell *c = &l->cells[s];
		text = arena_printf(&m->arena, "%s%s", text, s ? "|" : "");
		for (uint32_t i = 0; i < c->rows_n; i++)
			text = arena_printf(&m->arena, "%s%s%s", text,
				i ? "," : "", m->side[s].kernels[c->rows[i]]);
		times = isnan(c->sum_ns)
				? arena_printf(&m->arena, "%s -", times)
				: arena_printf(&m->arena, "%s %.0f", times,
					  c->sum_ns);
	}
	return arena_printf(&m->arena, "%s%s %s", text, times, match[l->match]);
}

static inline void made_is(struct made *m, const char *const *lines, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < m->out.lines_n; i++)
		assert_string_equal(made_line(m, i), lines[i]);
	assert_int_equal(m->out.lines_n, n);
}

static inline int made_start(void **state)
{
	static struct made m;
	memset(&m, 0, sizeof m);
	*state = &m;
	return 0;
}

static inline int made_stop(void **state)
{
	arena_release(&((struct made *)*state)->arena);
	return 0;
}

#define MADE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, made_start, made_stop)
#define MADE_IS(m, ...)                                        \
	made_is(m, (const char *const[]){ __VA_ARGS__ },       \
		sizeof((const char *const[]){ __VA_ARGS__ }) / \
			sizeof(const char *))

/* test_pattern_table.c - tests the sample that is taken of very many
 * iterations: it is even, and kept iterations are taken first. */
#include "iteration_find.h"
#include "pattern_table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

struct world {
	struct arena arena;
	struct profile p;
	uint32_t *place;
};

/* n iterations, of which every `warm`-th is not kept (0: all are kept). */
static void choose(struct world *w, uint32_t n, uint32_t warm,
	uint32_t functions)
{
	struct iteration *c = arena_array(&w->arena, struct iteration, n + 1);
	for (uint32_t i = 0; i < n; i++)
		c[i].use = warm && i % warm == 0 ? ITERATION_WARMUP
						 : ITERATION_KEPT;
	w->p = (struct profile){ .arena = &w->arena };
	w->p.iterations = (struct iterations){ .iterations = c, .n = n };
	assert_true(pattern_table_choose(&w->p, functions, &w->place));
}

static void test_few(void **state)
{
	(void)state;
	struct world w = { 0 };
	choose(&w, 3, 2, 1000);
	assert_int_equal(w.p.patterns.iterations_n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(w.p.patterns.iteration[i] == i && w.place[i] == i);
	assert_int_equal(w.p.notes.count[NOTE_patterns_thinned], 0);
	arena_release(&w.arena);
}

/* 100,000 iterations: the first, the last, and steps of 50 or 51 between
 * them, because 1999 steps make 99,999. */
static void test_thinned(void **state)
{
	(void)state;
	struct world w = { 0 };
	choose(&w, 100000, 0, 1);
	const uint32_t *at = w.p.patterns.iteration;
	assert_int_equal(w.p.patterns.iterations_n, 2000);
	assert_int_equal(w.p.notes.count[NOTE_patterns_thinned], 98000);
	assert_int_equal(at[0], 0);
	assert_int_equal(at[1999], 99999);
	for (uint32_t i = 1; i < 2000; i++)
		assert_in_range(at[i] - at[i - 1], 50, 51);
	assert_int_equal(w.place[at[7]], 7);
	assert_int_equal(w.place[at[7] + 1], ITERATION_NONE);
	arena_release(&w.arena);
}

/* 3000 iterations, 1000 of them kept: all of those, and 1000 of the others. */
static void test_kept_first(void **state)
{
	(void)state;
	struct world w = { 0 };
	struct iteration *c = arena_array(&w.arena, struct iteration, 3000);
	for (uint32_t i = 0; i < 3000; i++)
		c[i].use = i % 3 ? ITERATION_PARTIAL : ITERATION_KEPT;
	w.p.arena = &w.arena;
	w.p.iterations = (struct iterations){ .iterations = c, .n = 3000 };
	assert_true(pattern_table_choose(&w.p, 1, &w.place));
	uint32_t kept = 0;
	for (uint32_t i = 0; i < w.p.patterns.iterations_n; i++)
		kept += c[w.p.patterns.iteration[i]].use == ITERATION_KEPT;
	assert_int_equal(kept, 1000);
	assert_int_equal(w.p.patterns.iterations_n, 2000);
	arena_release(&w.arena);
}

/* The limit is 2^22 cells: 128 iterations of 2^15 functions, one of 2^23
 * functions. */
static void test_many_functions(void **state)
{
	(void)state;
	static const struct {
		uint32_t functions, iterations;
	} rows[] = { { 0, 500 }, { 1 << 15, 128 }, { 1 << 23, 1 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w = { 0 };
		choose(&w, 500, 0, rows[i].functions);
		assert_int_equal(w.p.patterns.iterations_n, rows[i].iterations);
		arena_release(&w.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_thinned),
		cmocka_unit_test(test_kept_first),
		cmocka_unit_test(test_many_functions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

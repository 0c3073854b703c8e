/* test_verdict_odd.c - tests that a verdict has a result for unusual sides. */
#include "pair.h"

/* Two iterations: all launches changed, or only a mean did. */
static void too_few_iterations(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 2, 0.01);
	floors(&p, 0.03, 4);
	times(&p, 2, true, 2);
	times(&p, 3, true, 1.6); /* less than 74 %: 13.03 · 3 % · √2, as e^x */
	p.rows[3].head_min_ns = 3000; /* one launch was unchanged */
	times(&p, 9, true, 1.8); /* the same, and more */
	p.rows[9].head_min_ns = 9000;
	times(&p, 4, false, 0);
	times(&p, 5, true, 0);
	times(&p, 6, false, 0);
	((double *)p.rows[6].head)[1] = 0; /* not in every iteration */
	times(&p, 7, true, 1.24); /* changed by less than runs vary: 10.9 % */
	times(&p, 7, false, 1.15);
	p.rows[7].base_max_ns = 9000;
	p.rows[7].head_min_ns = 9001;
	p.rows[8].base_min_ns = p.rows[8].base_max_ns = NAN;
	times(&p, 8, true, 2);
	judged(&p);
	is(&p, 2, CHANGE_LIKELY, EVIDENCE_LAUNCHES);
	is(&p, 3, CHANGE_UNDECIDED, EVIDENCE_LAUNCHES);
	is(&p, 4, CHANGE_APPEARED, EVIDENCE_LAUNCHES);
	is(&p, 5, CHANGE_VANISHED, EVIDENCE_LAUNCHES);
	is(&p, 6, CHANGE_UNDECIDED, EVIDENCE_LAUNCHES);
	is(&p, 7, CHANGE_UNDECIDED, EVIDENCE_LAUNCHES);
	is(&p, 8, CHANGE_LIKELY, EVIDENCE_LAUNCHES);
	is(&p, 9, CHANGE_LIKELY, EVIDENCE_LAUNCHES);
	arena_release(&p.a);
}

static void sides_that_are_one(void **state)
{
	struct pair p;
	(void)state;
	for (uint32_t iterations = 1; iterations <= 30; iterations += 29) {
		made(&p, ROWS, 1, 1, iterations, 0.05);
		floors(&p, 0.03, 4);
		for (uint32_t r = 0; r < ROWS; r++)
			p.rows[r].head = p.rows[r].base;
		judged(&p);
		for (uint32_t r = 0; r < ROWS; r++)
			is(&p, r, CHANGE_UNCHANGED,
				iterations == 1 ? EVIDENCE_LAUNCHES
						: EVIDENCE_ITERATIONS);
		arena_release(&p.a);
	}
}

/* Values that never vary: equal, unequal, zero, and no rows at all. */
static void constant_rows(void **state)
{
	struct pair p;
	(void)state;
	made(&p, 4, 1, 1, 10, 0);
	p.in.head.n = p.iterations[1][0] = 7;
	times(&p, 1, true, 1.1);
	times(&p, 2, true, 0);
	times(&p, 2, false, 0);
	times(&p, 3, false, 0);
	judged(&p);
	is(&p, 0, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	is(&p, 1, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	is(&p, 2, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	is(&p, 3, CHANGE_APPEARED, EVIDENCE_ITERATIONS);
	p.in.n = 0;
	judged(&p);
	arena_release(&p.a);
}

/* Tests all shapes of sides, from one iteration per side to one unit among
 * many. There must be a result and no NaN (judged()). */
static void every_shape(void **state)
{
	struct pair p;
	(void)state;
	for (uint32_t base = 1; base <= UNITS; base++)
		for (uint32_t head = 1; head <= UNITS; head += 2)
			for (uint32_t iterations = 1; iterations <= 9;
				iterations++) {
				made(&p, ROWS, base, head, iterations, 0.04);
				p.in.permutations = 50;
				floors(&p, 0.02, iterations % 2 ? 4 : 9);
				judged(&p);
				arena_release(&p.a);
			}
}

static void very_many_iterations(void **state)
{
	struct pair p;
	(void)state;
	made(&p, 8, 1, 1, 100000, 0.1);
	times(&p, 3, true, 1.05);
	judged(&p);
	is(&p, 3, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	is(&p, 0, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	assert_true(p.block == 100000 / 40);
	p.in.head.n = p.iterations[1][0] = 5; /* and very few */
	judged(&p);
	arena_release(&p.a);
}

static void the_same_again(void **state)
{
	struct pair p;
	struct change first[ROWS];
	(void)state;
	made(&p, ROWS, 2, 1, 30, 0.04);
	floors(&p, 0.03, 4);
	times(&p, 3, true, 1.3);
	judged(&p);
	memcpy(first, p.c, sizeof first);
	judged(&p);
	assert_memory_equal(first, p.c, sizeof first);
	p.in.seed = 2;
	judged(&p);
	assert_memory_not_equal(first, p.c, sizeof first);
	arena_release(&p.a);
}

static void no_memory(void **state)
{
	struct pair p;
	struct err e = { 0 };
	bool done = false;
	(void)state;
	made(&p, ROWS, 1, 1, 30, 0.04);
	for (size_t ceiling = 1; !done; ceiling += 3000) {
		struct arena a = { .ceiling = ceiling };
		e = (struct err){ 0 };
		done = verdict_from(&p.in, &a, p.c, &p.common, &p.block, &e);
		assert_int_equal(e.code, done ? ERR_NONE : ERR_TOO_LARGE);
		arena_release(&a);
	}
	arena_release(&p.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_few_iterations),
		cmocka_unit_test(sides_that_are_one),
		cmocka_unit_test(constant_rows),
		cmocka_unit_test(every_shape),
		cmocka_unit_test(very_many_iterations),
		cmocka_unit_test(the_same_again),
		cmocka_unit_test(no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_verdict.c - tests which change gets which verdict. tests/sim measures
 * how often the verdict is right. */
#include "pair.h"

static void one_row_of_many(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 40, 0.03);
	times(&p, 3, true, 1.2);
	times(&p, 4, true, 0.8);
	times(&p, 5, false, 0);
	times(&p, 6, true, 0);
	judged(&p);
	is(&p, 3, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	is(&p, 4, CHANGE_IMPROVED, EVIDENCE_ITERATIONS);
	is(&p, 5, CHANGE_APPEARED, EVIDENCE_ITERATIONS);
	is(&p, 6, CHANGE_VANISHED, EVIDENCE_ITERATIONS);
	for (uint32_t r = 7; r < ROWS; r++)
		is(&p, r, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	/* 20 % of 4 µs. */
	assert_true(fabs(p.c[3].shift_ns - 800) < 40);
	assert_true(p.c[3].low_ns < p.c[3].delta_ns);
	assert_true(p.c[3].high_ns > p.c[3].delta_ns);
	assert_true(p.c[3].high_ns - p.c[3].low_ns < 200);
	assert_false(p.common.there);
	arena_release(&p.a);
}

/* The unknown variation between runs prevents a verdict on 20 %, but not on a
 * factor of three. */
static void one_run_a_side(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 40, 0.03);
	times(&p, 2, true, 1.06);
	times(&p, 3, true, 1.2);
	times(&p, 4, true, 3);
	floors(&p, 0.03, 4);
	judged(&p);
	is(&p, 2, CHANGE_UNDECIDED, EVIDENCE_ITERATIONS);
	is(&p, 3, CHANGE_LIKELY, EVIDENCE_ITERATIONS);
	is(&p, 4, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	is(&p, 7, CHANGE_UNDECIDED, EVIDENCE_ITERATIONS);
	arena_release(&p.a);
}

static void negligible_changes(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 40, 0.01);
	times(&p, 0, true, 3); /* 1 µs of an iteration of 10 ms */
	p.in.base_iteration_ns = p.in.head_iteration_ns = 10e6;
	judged(&p);
	is(&p, 0, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	times(&p, 15, true, 1.02); /* less than half the margin */
	judged(&p);
	is(&p, 15, CHANGE_WITHIN_MARGIN, EVIDENCE_ITERATIONS);
	arena_release(&p.a);
}

static void a_clock(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 40, 0.02);
	for (uint32_t r = 0; r < ROWS; r++)
		if (r != 2 && r != 9)
			times(&p, r, true, 1.25);
	times(&p, 4, true, 1.3); /* in addition */
	judged(&p);
	assert_true(p.common.there);
	assert_true(fabs(p.common.ratio - 1.25) < 0.01);
	assert_true(p.common.low < 1.25 && p.common.high > 1.25);
	assert_int_equal(p.common.kernels, ROWS - 3);
	/* 136 µs, less 3, 10 and 5 that did not change with it: a quarter. */
	assert_true(fabs(p.common.ns - 118e3 * 0.25) < 1e3);
	for (uint32_t r = 0; r < ROWS; r++)
		if (r != 4)
			is(&p, r, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	is(&p, 4, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	arena_release(&p.a);
}

/* More launches of everything is different work and not a clock change. */
static void more_launches(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 40, 0.02);
	for (uint32_t r = 0; r < ROWS; r++) {
		times(&p, r, true, 1.25);
		p.rows[r].head_launches *= 1.25;
	}
	judged(&p);
	assert_false(p.common.there);
	is(&p, 5, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	arena_release(&p.a);
}

/* The first half of one side ran at a different clock: no function is to
 * blame. */
static void a_step_inside(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 1, 1, 40, 0.01);
	for (uint32_t r = 0; r < ROWS; r++)
		for (uint32_t c = 0; c < 20; c++)
			((double *)p.rows[r].head)[c] *= 1.2;
	times(&p, 6, true, 1.15);
	judged(&p);
	is(&p, 6, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	for (uint32_t r = 0; r < ROWS; r++)
		if (r != 6 && p.c[r].is != CHANGE_UNCHANGED &&
			p.c[r].is != CHANGE_UNDECIDED)
			fail_msg("row %u: %d", r, p.c[r].is);
	arena_release(&p.a);
}

static void rows_that_are_no_kernels(void **state)
{
	struct pair p;
	(void)state;
	made(&p, 4, 1, 1, 30, 0.02);
	for (uint32_t r = 0; r < 4; r++)
		p.rows[r].kernel = false;
	times(&p, 3, true, 2);
	judged(&p);
	is(&p, 3, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	is(&p, 0, CHANGE_UNCHANGED, EVIDENCE_ITERATIONS);
	assert_false(p.common.there);
	arena_release(&p.a);
}

/* Each run has its own level, 2 % apart at random. */
static void runs(void **state)
{
	static const double level[UNITS] = { 1, 1.02, 0.98, 1.01, 0.99, 1 };
	struct pair p;
	(void)state;
	made(&p, ROWS, 5, 5, 10, 0.01);
	for (uint32_t r = 0; r < ROWS; r++)
		for (uint32_t c = 0; c < 50; c++) {
			uint32_t u = c / 10 + r;
			((double *)p.rows[r].base)[c] *= level[u % UNITS];
			((double *)p.rows[r].head)[c] *= level[(u + 2) % UNITS];
		}
	times(&p, 8, true, 1.15);
	floors(&p, 0.03, 4);
	p.in.permutations = 2000;
	judged(&p);
	assert_int_equal(p.block, 0);
	is(&p, 8, CHANGE_REGRESSED, EVIDENCE_RUNS);
	/* There are 252 splits; this one and its mirror image are the best. */
	assert_true(fabs(p.c[8].p_family - 2.0 / 252) < 1e-9);
	for (uint32_t r = 0; r < ROWS; r++)
		if (r != 8)
			is(&p, r, CHANGE_UNCHANGED, EVIDENCE_RUNS);
	arena_release(&p.a);
}

/* Three and five runs of one iteration each do not show how iterations vary.
 * Runs of two iterations do, and then the 2 % between runs is not reported as
 * a change. */
static void short_runs(void **state)
{
	struct pair p;
	(void)state;
	made(&p, ROWS, 3, 5, 1, 0.05);
	floors(&p, 0, INFINITY);
	judged(&p);
	for (uint32_t r = 0; r < ROWS; r++) {
		assert_int_equal(p.c[r].evidence, EVIDENCE_LAUNCHES);
		assert_true(p.c[r].is >= CHANGE_LIKELY);
	}
	arena_release(&p.a);
	made(&p, ROWS, 3, 5, 2, 0.02);
	floors(&p, 0.02, 20);
	judged(&p);
	for (uint32_t r = 0; r < ROWS; r++)
		is(&p, r,
			p.c[r].is == CHANGE_UNCHANGED ? CHANGE_UNCHANGED
						      : CHANGE_UNDECIDED,
			EVIDENCE_ITERATIONS);
	times(&p, 3, true, 3);
	judged(&p);
	is(&p, 3, CHANGE_REGRESSED, EVIDENCE_ITERATIONS);
	arena_release(&p.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_row_of_many),
		cmocka_unit_test(one_run_a_side),
		cmocka_unit_test(negligible_changes),
		cmocka_unit_test(a_clock),
		cmocka_unit_test(more_launches),
		cmocka_unit_test(a_step_inside),
		cmocka_unit_test(rows_that_are_no_kernels),
		cmocka_unit_test(runs),
		cmocka_unit_test(short_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

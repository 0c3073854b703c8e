/* test_compare_launch.c - tests how sizes of operators and launches are read and
 * compared, each function for itself. */
#include "compare_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

struct read_case {
	const char *size;
	bool grid, block;
};

static void a_launch_is_read_from_its_size(void **state)
{
	static const struct read_case cases[] = {
		{ "128x1x1 / 256x2x1", true, true },
		{ "128x1x1", true, false }, /* analyzed by an older version */
		{ "128x1x1 / 0x1x1", true, false },
		{ "128x1x1 / 256x2", true, false },
		{ "128x1", false, false },
		{ "[[64,128]]", false, false },
		{ "", false, false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct compare_launch l = { 0 };
		compare_launch_read(cases[i].size, &l);
		assert_int_equal(l.grid_known, cases[i].grid);
		assert_int_equal(l.block_known, cases[i].block);
	}
}

struct differs_case {
	const char *x, *y;
	bool differs;
};

/* An unknown block is no difference. */
static void launches_differ_by_grid_or_known_block(void **state)
{
	static const struct differs_case cases[] = {
		{ "8x1x1 / 512x1x1", "8x1x1 / 512x1x1", false },
		{ "8x1x1 / 512x1x1", "8x1x1 / 256x1x1", true },
		{ "8x1x1 / 512x1x1", "4x1x1 / 512x1x1", true },
		{ "8x1x1", "8x1x1 / 512x1x1", false },
		{ "8x1x1", "4x1x1", true },
		{ "", "4x1x1", false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct compare_launch x = { 0 }, y = { 0 };
		compare_launch_read(cases[i].x, &x);
		compare_launch_read(cases[i].y, &y);
		assert_int_equal(compare_launch_differs(&x, &y),
			cases[i].differs);
		assert_int_equal(compare_launch_differs(&y, &x),
			cases[i].differs);
	}
}

/* mm has 3 of 4 calls on the size that both have, and weight sqrt(4) = 2. The
 * scan, with weight 3, has other sizes; operators are used before grids. */
static void agreement_is_the_share_of_equal_calls(void **state)
{
	struct arena a = { 0 };
	struct names words;
	struct compare_sizes base, head, none;
	struct work b[] = {
		{ 0, WORK_OP, "aten::mm", "[[2,8],[8,4]]", 3 },
		{ 0, WORK_OP, "aten::mm", "[[2,9],[9,4]]", 1 },
		{ 0, WORK_OP, "aten::cumsum", "[[5],[1]]", 9 },
		{ 0, WORK_GRID, "scan", "8x1x1 / 512x1x1", 9 },
		{ 1, WORK_OP, "aten::mm", "[[7,7],[7,7]]", 1 },
	};
	struct work h[] = {
		{ 0, WORK_OP, "aten::mm", "[[2,8],[8,4]]", 4 },
		{ 0, WORK_OP, "aten::cumsum", "[[6],[1]]", 9 },
		{ 0, WORK_GRID, "scan", "4x1x1 / 1024x1x1", 9 },
	};
	struct iterations bi = { .works = b, .works_n = 5 },
			  hi = { .works = h, .works_n = 3 };
	const char *text[2] = { NULL, NULL };
	const struct compare_sizes *bases[] = { &base }, *heads[] = { &head };
	(void)state;

	names_init(&words, &a);
	compare_work_sizes_from(&bi, 0, &words, &a, &base);
	compare_work_sizes_from(&hi, 0, &words, &a, &head);
	compare_work_sizes_from(&bi, 2, &words, &a, &none);
	assert_int_equal(base.n[WORK_OP], 3);
	assert_int_equal(base.n[WORK_GRID], 1);
	assert_true(fabs(compare_work_agreement(&base, &head) -
			    (2 * 0.75 + 3 * 0) / (2 + 3)) < 1e-12);
	assert_true(compare_work_agreement(&base, &none) == -1);
	assert_true(compare_work_difference(&base, &head, &words, &a, text));
	assert_string_equal(text[0], "5 in sizes (aten::cumsum [[5],[1]])");
	assert_string_equal(text[1], "6 (aten::cumsum [[6],[1]])");
	assert_string_equal(compare_work_relaunches(bases, heads, 1, &words,
				    &a),
		"scan 8x1x1 / 512x1x1 → 4x1x1 / 1024x1x1");
	arena_release(&a);
}

static void means_without_a_test_have_no_evidence(void **state)
{
	struct change c = compare_plain_change(200, 50);
	(void)state;

	assert_true(c.delta_ns == -150 && c.ratio == 0.25);
	assert_int_equal(c.evidence, EVIDENCE_NONE);
	assert_int_equal(c.is, CHANGE_UNDECIDED);
	assert_true(isnan(c.p) && isnan(c.low_ns));
	assert_true(isnan(compare_plain_change(200, (double)NAN).delta_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_is_read_from_its_size),
		cmocka_unit_test(launches_differ_by_grid_or_known_block),
		cmocka_unit_test(agreement_is_the_share_of_equal_calls),
		cmocka_unit_test(means_without_a_test_have_no_evidence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

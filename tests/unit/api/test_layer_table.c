/* test_layer_table.c - tests numbers, blank cells, groups and overlaps in the
 * layout of hand-made tables. */
#include "run_breakdown.h"
#include "layer_table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "layers_made.h"

static void test_lines_of_several_runs(void **state)
{
	(void)state;
	static const char *const heads[] = { "h800 prof", "b200, mtp|on" };
	static const double whole[] = { 96e6, NAN };
	static const double layers[] = { 87.32e6, 79.3251239e6 };
	static const double row[] = { 255000, 225767 };
	static const double blank[] = { NAN, 0 };
	static const double tiny[] = { 0.4, 1234567890.5 };
	/* As doubles of a unit: less than half, and half of an even one. */
	static const double half[] = { 927.5, 62.5 };
	struct arena a = { 0 };
	struct layer_table t;
	struct buf b;
	layer_table_init(&t, &a, heads, 2);
	layer_table_total(&t, "end to end", whole);
	layer_table_total(&t, layer_table_count(&a, 61), layers);
	layer_table_line(&t, "attention", "self.attn_mqa", "mha_Qkv", row);
	layer_table_line(&t, "attention", NULL, "elementwise", blank);
	layer_table_line(&t, "attention", "sum", NULL, tiny);
	layer_table_line(&t, "mlp", "sum", NULL, half);
	buf_init(&b, 2000);
	table_md(layer_table_end(&t), &b);
	assert_string_equal(b.at,
		"| Layer | Module | Kernel | h800 prof | b200, mtp\\|on |\n"
		"|:---|:---|:---|---:|---:|\n"
		"| end to end |  |  | 96 ms |  |\n"
		"| 61 layers |  |  | 87.32 ms | 79.325 ms |\n"
		"| attention | self.attn_mqa | mha_Qkv | 255 | 225.767 |\n"
		"| attention |  | elementwise |  | 0 |\n"
		"| attention | sum |  | 0 | 1234567.891 |\n"
		"| mlp | sum |  | 0.928 | 0.063 |\n");
	buf_release(&b);
	arena_release(&a);
}

/* There are more lines than the initial room holds. */
static void test_many_lines(void **state)
{
	(void)state;
	static const char *const heads[LAYER_TABLE_RUNS] = { "1", "2", "3", "4",
		"5", "6", "7", "8" };
	double ns[LAYER_TABLE_RUNS];
	struct arena a = { 0 };
	struct layer_table t;
	layer_table_init(&t, &a, heads, LAYER_TABLE_RUNS);
	for (int i = 0; i < 1000; i++) {
		for (int k = 0; k < LAYER_TABLE_RUNS; k++)
			ns[k] = 1000.0 * (i * 10 + k);
		layer_table_line(&t, "mlp", NULL, "gemm", ns);
	}
	const struct table *is = layer_table_end(&t);
	assert_int_equal(is->rows, 1000);
	assert_int_equal(is->width, 11);
	assert_string_equal(is->cells[999 * 11 + 10], "9997");
	assert_string_equal(is->cells[64 * 11 + 3], "640");
	assert_string_equal(is->cells[63 * 11 + 2], "gemm");
	arena_release(&a);
}

static void test_words(void **state)
{
	(void)state;
	struct arena a = { 0 };
	assert_string_equal(layer_table_count(&a, 1), "1 layer");
	assert_null(layer_table_roles(&a, 0));
	assert_string_equal(layer_table_roles(&a, ROLE_BIT(STATE)), "state");
	assert_string_equal(layer_table_roles(&a,
				    ROLE_BIT(QUANTIZE) | ROLE_BIT(POST_NORM)),
		"post_norm + quantize");
	assert_string_equal(layer_table_overlap(&a, BLOCK_MOE, BLOCK_SHARED),
		"moe/shared overlap");
	assert_string_equal(layer_table_section(&a, SECTION_LAYER, "moe", 58),
		"58 layers: moe");
	assert_string_equal(layer_table_section(&a, SECTION_LAYER, NULL, 1),
		"1 layer");
	assert_string_equal(layer_table_section(&a, SECTION_BETWEEN, NULL, 1),
		"between layers");
	arena_release(&a);
}

static void test_heads(void **state)
{
	(void)state;
	static const struct {
		struct breakdown is;
		bool lag;
		const char *want;
	} cases[] = {
		{ { .detector = LAYERS_PERIOD }, false, "mi300x" },
		{ { .detector = LAYERS_PERIOD, .why = "as they were" }, false,
			"mi300x" },
		{ { .detector = LAYERS_PERIOD, .realigned = true }, true,
			"mi300x (names put back)" },
		{ { .why = "names lag" }, true, "mi300x (names lag)" },
		{ { .why = "nothing repeats" }, false,
			"mi300x (no layers: nothing repeats)" },
		{ { .why = NULL }, false, "mi300x (no layers)" },
	};
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(layer_table_head(&a,
					    layer_table_name(&a, "mi300x", 3),
					    &cases[i].is, cases[i].lag),
			cases[i].want);
	assert_string_equal(layer_table_name(&a, "", 3), "run 3");
	arena_release(&a);
}

/* A group is printed once, at its longest member, within its block. */
static void test_cells(void **state)
{
	(void)state;
	static const double want[MADE_ROWS] = { 187000, 81000, NAN, 8500,
		394000, 3000, 17062, 2000 };
	struct arena a = { 0 };
	struct breakdown_row rows[MADE_ROWS];
	struct breakdown_stored is = made_layers(rows);
	const double *cells = run_breakdown_cells(&a, &is.breakdown);
	for (int i = 0; i < MADE_ROWS; i++)
		if (isnan(want[i]))
			assert_true(isnan(cells[i]));
		else
			assert_float_equal(cells[i], want[i], 0);
	/* Half of the instances have it: the mean is over all of them. */
	rows[0].time.total_ns /= 2;
	cells = run_breakdown_cells(&a, &is.breakdown);
	assert_float_equal(cells[0], 93500, 0);
	/* In tenths, because its mean is in another place. */
	is.breakdown.sections[0].instances = 32;
	rows[0].time.total_ns = 3599;
	cells = run_breakdown_cells(&a, &is.breakdown);
	assert_float_equal(cells[0], 112.5, 0);
	is.breakdown.sections[0].instances = 10;
	arena_release(&a);
}

static void test_overlaps(void **state)
{
	(void)state;
	struct breakdown_row rows[MADE_ROWS];
	struct breakdown_stored is = made_layers(rows);
	uint32_t from, to;
	run_breakdown_block_rows(&is.breakdown, 1, &from, &to);
	assert_int_equal(from, 5);
	assert_int_equal(to, 7);
	run_breakdown_block_rows(&is.breakdown, 2, &from, &to);
	assert_int_equal(from, 7);
	assert_int_equal(to, MADE_ROWS);
	for (uint32_t i = 0; i < MADE_ROWS; i++)
		assert_int_equal(run_breakdown_overlaps(&is.breakdown, i, 1),
			i == 4);
	/* The row is parallel to the other in its offset, but never runs at
	 * the same time as another row. */
	rows[4].overlapped_ns = 0;
	assert_false(run_breakdown_overlaps(&is.breakdown, 4, 1));
	/* On the same stream: one after the other in most instances. */
	rows[4].overlapped_ns = 5;
	rows[4].lane = 1;
	assert_false(run_breakdown_overlaps(&is.breakdown, 4, 1));
	rows[4].lane = 0;
	rows[4].offset_ns = 337063;
	assert_false(run_breakdown_overlaps(&is.breakdown, 4, 1));
	rows[4].offset_ns = 337061;
	assert_true(run_breakdown_overlaps(&is.breakdown, 4, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_of_several_runs),
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_overlaps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

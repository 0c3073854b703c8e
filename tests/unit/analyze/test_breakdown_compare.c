/* test_breakdown_compare.c - tests how rows of several breakdowns are
 * matched. */
#include "compare_sides.h"

#define R(code) ROLE_BIT(code)

static void layer(struct made_side *s, enum layer_block_kind kind)
{
	if (!s->b.sections_n)
		made_section(s, SECTION_LAYER, "attention + mlp");
	made_block(s, kind);
}

/* One machine fuses rope with the cache; the other runs a reduction after
 * attention. */
static void fused_and_split_kernels_are_one_line(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_ATTENTION);
	made_row(a, "norm", R(INPUT_NORM), 4);
	made_row(a, "qkv", R(QKV), 20);
	made_row(a, "rope_store", R(ROPE) | R(KV_STORE), 5);
	made_row(a, "attend", R(ATTENTION), 12);
	made_row(a, "out", R(O_PROJ), 10);
	layer(b, BLOCK_ATTENTION);
	made_row(b, "add_norm", R(INPUT_NORM), 6);
	made_row(b, "cijk_1", R(QKV), 22);
	made_row(b, "rotary", R(ROPE), 5);
	made_row(b, "cache", R(KV_STORE), 4);
	made_row(b, "paged", R(ATTENTION), 43);
	made_row(b, "reduce", R(ATTENTION), 5);
	made_row(b, "cijk_2", R(O_PROJ), 5);
	made_compare(m, 2);
	MADE_IS(m, "norm|add_norm 4 6 role", "qkv|cijk_1 20 22 role",
		"rope_store|rotary,cache 5 9 role",
		"attend|paged,reduce 12 48 role", "out|cijk_2 10 5 role");
	assert_float_equal(m->out.lines[3].cells[1].diff_ns, 36, 1e-9);
	assert_float_equal(m->out.lines[3].cells[1].diff_pct, 300, 1e-9);
	assert_float_equal(m->out.lines[4].cells[1].diff_pct, -50, 1e-9);
	assert_float_equal(m->out.lines[0].cells[0].diff_ns, 0, 0);
	assert_true(m->out.lines[2].roles == (R(ROPE) | R(KV_STORE)));
	assert_float_equal(m->out.blocks[0].sum_ns[1], 90, 1e-9);
	assert_float_equal(m->out.sections[0].sum_ns[0], 51, 1e-9);
	assert_string_equal(m->out.sections[0].name, "attention + mlp");
}

/* Each side fuses other neighbors; together they are one line. */
static void fusions_that_cross_join_all_they_touch(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_ATTENTION);
	made_row(a, "qkv_norm", R(QKV) | R(QK_NORM), 3);
	made_row(a, "rope", R(ROPE), 2);
	layer(b, BLOCK_ATTENTION);
	made_row(b, "qkv", R(QKV), 1);
	made_row(b, "norm_rope", R(QK_NORM) | R(ROPE), 1);
	made_compare(m, 2);
	MADE_IS(m, "qkv_norm,rope|qkv,norm_rope 5 2 role");
}

static void the_same_role_in_two_blocks_is_two_lines(void **state)
{
	struct made *m = *state;
	for (uint32_t s = 0; s < 2; s++) {
		layer(&m->side[s], BLOCK_ATTENTION);
		made_row(&m->side[s], "sum_1", R(ALL_REDUCE), 7);
		layer(&m->side[s], BLOCK_MLP);
		made_row(&m->side[s], "sum_2", R(ALL_REDUCE), 8);
	}
	made_compare(m, 2);
	MADE_IS(m, "sum_1|sum_1 7 7 role", "sum_2|sum_2 8 8 role");
}

/* A quantization row precedes each matrix product and is matched with that
 * product. If the row also does other work, it is matched by that work. */
static void quantization_is_matched_by_its_product(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_ATTENTION);
	made_row(a, "norm", R(INPUT_NORM), 1);
	made_row(a, "quant_1", R(QUANTIZE), 2);
	made_row(a, "qkv", R(QKV), 3);
	made_row(a, "quant_2", R(QUANTIZE), 4);
	made_row(a, "out", R(O_PROJ), 5);
	layer(b, BLOCK_ATTENTION);
	made_row(b, "norm_quant", R(INPUT_NORM) | R(QUANTIZE), 2);
	made_row(b, "qkv", R(QKV), 3);
	made_row(b, "quant", R(QUANTIZE), 3);
	made_row(b, "out", R(O_PROJ), 5);
	made_compare(m, 2);
	MADE_IS(m, "norm|norm_quant 1 2 role", "quant_1| 2 - alone",
		"qkv|qkv 3 3 role", "quant_2|quant 4 3 role",
		"out|out 5 5 role");
}

static void rows_without_roles_are_matched_by_module_then_kernel(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_OTHER);
	made_row(a, "gemm_a", 0, 9)->module = "Mixer.fc";
	made_row(a, "add_a", 0, 1)->module = "Mixer.fc";
	made_row(a, "copy", 0, 2)->module = "Mixer.pad";
	made_row(a, "fill", 0, 3);
	layer(b, BLOCK_OTHER);
	made_row(b, "fill", 0, 4);
	made_row(b, "gemm_b", 0, 8)->module = "Mixer.fc";
	made_row(b, "copy", 0, 5);
	made_compare(m, 2);
	MADE_IS(m, "gemm_a,add_a|gemm_b 10 8 module", "copy|copy 2 5 kernel",
		"fill|fill 3 4 kernel");
	assert_string_equal(m->out.lines[0].module, "Mixer.fc");
	assert_string_equal(m->out.lines[1].module, "Mixer.pad");
	assert_null(m->out.lines[2].module);
}

static void a_kernel_at_several_places_is_matched_place_by_place(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_OTHER);
	made_row(a, "add", 0, 1);
	made_row(a, "mul", 0, 2);
	made_row(a, "add", 0, 3);
	layer(b, BLOCK_OTHER);
	made_row(b, "add", 0, 10);
	made_row(b, "add", 0, 30);
	made_row(b, "add", 0, 50);
	made_compare(m, 2);
	MADE_IS(m, "add|add 1 10 kernel", "mul| 2 - alone",
		"add|add 3 30 kernel", "|add - 50 alone");
}

static void rows_of_one_side_keep_their_position(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1], *c = &m->side[2];
	layer(a, BLOCK_MLP);
	made_row(a, "up", R(GATE_UP), 1);
	made_row(a, "down", R(DOWN), 1);
	layer(b, BLOCK_MLP);
	made_row(b, "first", 0, 1);
	made_row(b, "up", R(GATE_UP), 1);
	made_row(b, "act", R(ACTIVATION), 1);
	made_row(b, "down", R(DOWN), 1);
	layer(c, BLOCK_MLP);
	made_row(c, "up", R(GATE_UP), 1);
	made_row(c, "swiglu", R(ACTIVATION), 1);
	made_row(c, "down", R(DOWN), 1);
	made_row(c, "last", 0, 1);
	made_compare(m, 3);
	MADE_IS(m, "|first| - 1 - alone", "up|up|up 1 1 1 role",
		"|act|swiglu - 1 1 role", "down|down|down 1 1 1 role",
		"||last - - 1 alone");
	assert_true(isnan(m->out.lines[2].cells[1].diff_ns));
	assert_true(isnan(m->out.lines[2].cells[2].diff_pct));
}

/* A row that is in a tenth of the layers counts with a tenth of its time. */
static void times_are_of_a_layer(void **state)
{
	struct made *m = *state;
	for (uint32_t s = 0; s < 2; s++) {
		layer(&m->side[s], BLOCK_MLP);
		made_row(&m->side[s], "up", R(GATE_UP), 100);
	}
	m->side[1].rows[0].time =
		(struct time_stats){ .instances = 1, .total_ns = 300 };
	made_compare(m, 2);
	MADE_IS(m, "up|up 100 30 role");
}

static void s_uses_the_known_part_of_a_row(void **state)
{
	struct made *m = *state;
	struct breakdown_row *r;
	for (uint32_t s = 0; s < 2; s++)
		layer(&m->side[s], BLOCK_MLP);
	r = made_row(&m->side[0], "down", R(DOWN), 100);
	r->bound_launches = 10;
	r->bound_ns = 1000;
	r->sol_ps = 600000;
	made_row(&m->side[0], "split", R(DOWN), 10);
	made_row(&m->side[1], "down", R(DOWN), 50);
	made_compare(m, 2);
	assert_float_equal(m->out.lines[0].cells[0].s, 0.6, 1e-12);
	assert_true(isnan(m->out.lines[0].cells[1].s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(fused_and_split_kernels_are_one_line),
		MADE_TEST(fusions_that_cross_join_all_they_touch),
		MADE_TEST(the_same_role_in_two_blocks_is_two_lines),
		MADE_TEST(quantization_is_matched_by_its_product),
		MADE_TEST(rows_without_roles_are_matched_by_module_then_kernel),
		MADE_TEST(a_kernel_at_several_places_is_matched_place_by_place),
		MADE_TEST(rows_of_one_side_keep_their_position),
		MADE_TEST(times_are_of_a_layer),
		MADE_TEST(s_uses_the_known_part_of_a_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

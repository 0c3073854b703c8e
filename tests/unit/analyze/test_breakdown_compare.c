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
	r->clock_sol_ps = 900000; /* not comparable with other runs */
	made_row(&m->side[0], "split", R(DOWN), 10);
	made_row(&m->side[1], "down", R(DOWN), 50);
	made_compare(m, 2);
	assert_float_equal(m->out.lines[0].cells[0].s, 0.6, 1e-12);
	assert_true(isnan(m->out.lines[0].cells[1].s));
}

/* Adds an identity of kernels of the first side with those of another. */
static void same(struct made_side *s, enum row_identity kind,
	const char *const *base, uint32_t base_n, const char *const *head,
	uint32_t head_n)
{
	s->same[s->same_n++] = (struct kernel_identity){ .kind = kind,
		.reason = "why",
		.names = { base, head },
		.names_n = { base_n, head_n } };
}
#define SAME(side, kind, base, head)                       \
	same(side, kind, (const char *const[]){ base }, 1, \
		(const char *const[]){ head }, 1)

static void identity_is(const struct made *m, uint32_t line,
	enum row_identity kind)
{
	assert_int_equal(m->out.lines[line].identity, kind);
	if (kind == ROW_BY_NAME)
		assert_null(m->out.lines[line].reason);
	else
		assert_string_equal(m->out.lines[line].reason, "why");
}

/* Numbers 2 and 5 are exchanged, and 7 became 8. */
static void renumbered_kernels_are_found_by_their_identity(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_OTHER);
	made_row(a, "add_2", 0, 10);
	made_row(a, "add_5", 0, 20);
	made_row(a, "copy", 0, 5);
	made_row(a, "add_7", 0, 30);
	layer(b, BLOCK_OTHER);
	made_row(b, "add_5", 0, 11);
	made_row(b, "add_2", 0, 21);
	made_row(b, "copy", 0, 6);
	made_row(b, "add_8", 0, 31);
	SAME(b, ROW_RENAMED, "add_2", "add_5");
	SAME(b, ROW_RENAMED, "add_5", "add_2");
	SAME(b, ROW_RENAMED, "add_7", "add_8");
	made_compare(m, 2);
	MADE_IS(m, "add_2|add_5 10 11 kernel", "add_5|add_2 20 21 kernel",
		"copy|copy 5 6 kernel", "add_7|add_8 30 31 kernel");
	identity_is(m, 0, ROW_RENAMED);
	identity_is(m, 2, ROW_BY_NAME);
	identity_is(m, 3, ROW_RENAMED);
}

/* add_2 of the head is add_5 of the base, so add_2 of the base is gone. */
static void a_number_that_another_kernel_got_matches_nothing(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_OTHER);
	made_row(a, "add_2", 0, 10);
	made_row(a, "add_5", 0, 20);
	layer(b, BLOCK_OTHER);
	made_row(b, "add_2", 0, 21);
	SAME(b, ROW_RENAMED, "add_5", "add_2");
	same(b, ROW_BY_NAME, (const char *const[]){ "add_2" }, 1, NULL, 0);
	made_compare(m, 2);
	MADE_IS(m, "add_2| 10 - alone", "add_5|add_2 20 21 kernel");
	identity_is(m, 0, ROW_BY_NAME);
}

/* Two kernels fit each of two: their rows, three on each side, are one line. A
 * kernel at two places is not summed up if its identity is certain. */
static void kernels_that_fit_equally_well_are_summed_up(void **state)
{
	static const char *const base[] = { "add_1", "add_2" },
				 *const head[] = { "add_3", "add_4" };
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	layer(a, BLOCK_OTHER);
	made_row(a, "add_1", 0, 10);
	made_row(a, "mul_1", 0, 7);
	made_row(a, "add_2", 0, 20);
	layer(b, BLOCK_OTHER);
	made_row(b, "add_3", 0, 21);
	made_row(b, "mul_6", 0, 8);
	made_row(b, "add_4", 0, 11);
	same(b, ROW_SEVERAL, base, 2, head, 2);
	SAME(b, ROW_RENAMED, "mul_1", "mul_6");
	made_compare(m, 2);
	MADE_IS(m, "add_1,add_2|add_3,add_4 30 32 kernel",
		"mul_1|mul_6 7 8 kernel");
	identity_is(m, 0, ROW_SEVERAL);
	identity_is(m, 1, ROW_RENAMED);
}

/* The third side has the base's names again. A line that roles match says, too,
 * that a library runs another variant. */
static void identities_of_three_sides_join(void **state)
{
	struct made *m = *state;
	static const char *const add[] = { "add_2", "add_5", "add_2" },
				 *const gemm[] = { "gemm_64", "gemm_128",
					 "gemm_64" };
	for (uint32_t s = 0; s < 3; s++) {
		layer(&m->side[s], BLOCK_MLP);
		made_row(&m->side[s], gemm[s], R(DOWN), 50 + s);
		made_row(&m->side[s], add[s], 0, 10 + s);
	}
	SAME(&m->side[1], ROW_RENAMED, "add_2", "add_5");
	SAME(&m->side[1], ROW_VARIANT, "gemm_64", "gemm_128");
	made_compare(m, 3);
	MADE_IS(m, "gemm_64|gemm_128|gemm_64 50 51 52 role",
		"add_2|add_5|add_2 10 11 12 kernel");
	identity_is(m, 0, ROW_VARIANT);
	identity_is(m, 1, ROW_RENAMED);
	assert_int_equal(m->out.kernel[0][1], m->out.kernel[1][1]);
	assert_int_equal(m->out.kernel[0][1], m->out.kernel[2][1]);
	assert_int_not_equal(m->out.kernel[0][0], m->out.kernel[0][1]);
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
		MADE_TEST(renumbered_kernels_are_found_by_their_identity),
		MADE_TEST(a_number_that_another_kernel_got_matches_nothing),
		MADE_TEST(kernels_that_fit_equally_well_are_summed_up),
		MADE_TEST(identities_of_three_sides_join),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

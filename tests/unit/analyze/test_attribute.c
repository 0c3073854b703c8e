/* test_attribute.c - tests the operator, the shape and the attribution source
 * of each launch. */
#include "attribute_world.h"

static void the_innermost_known_operator_counts(void **state)
{
	struct world *w = *state;
	op(w, "aten::linear", "[[64,128],[256,128]]", "[\"float\",\"float\"]",
		1000, 100);
	op(w, "aten::mm", "[[64,128],[128,256]]", "[\"float\",\"float\"]", 1010,
		80);
	op(w, "nobody::knows", "[[1]]", "[\"float\"]", 1020, 60);
	launch(w, "whatever", 1030, 50);
	analyse(w);
	expect(w, 0, "gemm", "m=64 n=256 k=128", KNOWN_OP_SIZES, 50);
	assert_int_equal(w->p.operators.rows[0].dtype, DTYPE_FP32);
	assert_int_equal(w->p.operators.unattributed_n, 0);
}

static void kernels_of_one_operator_are_one_call(void **state)
{
	struct world *w = *state;
	op(w, "aten::mm", "[[64,128],[128,256]]", "[\"c10::Half\",\"\"]", 1000,
		100);
	launch(w, "whatever", 1010, 50);
	launch(w, "splitKreduce_kernel", 1020, 7);
	op(w, "aten::mm", "[[64,128],[128,256]]", "[\"c10::Half\",\"\"]", 1200,
		100);
	launch(w, "whatever", 1210, 40);
	analyse(w);
	expect(w, 0, "gemm", "m=64 n=256 k=128", KNOWN_OP_SIZES, 97);
	const struct shape_stat *s = &w->p.operators.shapes[0];
	assert_int_equal(s->launches, 3);
	assert_int_equal(s->call.instances, 2);
	assert_int_equal(s->call.max_ns, 57);
	assert_int_equal(s->call.min_ns, 40);
}

static void dims_may_come_from_the_same_operator_around(void **state)
{
	struct world *w = *state;
	op(w, "aten::add", "[[8],[8],[]]", "[\"float\",\"float\",\"Scalar\"]",
		1000, 100);
	op(w, "aten::add", "", "", 1010, 50);
	launch(w, "whatever", 1020, 5);
	op(w, "aten::add", "", "", 1200, 50);
	launch(w, "whatever", 1210, 3);
	analyse(w);
	expect(w, 0, "elementwise", "x=[8] y=[8]", KNOWN_OP_SIZES, 5);
	expect(w, 1, "elementwise", "", KNOWN_OP, 3);
}

static void numbers_without_a_type_have_the_width_in_the_kernels_name(
	void **state)
{
	static const char *const names[] = {
		"void at::native::CatArrayBatchedCopy<at::native::OpaqueType<2u>, "
		"unsigned int, 4, 64, 64>(at::native::OpaqueType<2u>*)",
		"void at::native::CatArrayBatchedCopy_contig<at::native::OpaqueType<"
		"(unsigned int)4>, unsigned int, 2, 128, 1>(int)",
		"void at::native::CatArrayBatchedCopy<at::native::OpaqueType<17u>, "
		"unsigned int>(int)",
		"void at::native::CatArrayBatchedCopy<at::native::OpaqueType<u>>(int)",
		"CatArrayBatchedCopy<float>",
	};
	static const char *const texts[] = { "x=[21] parts=2 element_bits=16",
		"x=[21] parts=2 element_bits=32", "x=[21] parts=2" };
	static const int64_t ns[] = { 50, 40, 30 + 20 + 10 };
	struct world *w = *state;

	for (uint32_t i = 0; i < 5; i++) {
		op(w, "aten::cat", "[[[1,2,3],[1,5,3]],[]]",
			"[\"TensorList\",\"Scalar\"]", 1000 + i * 100, 90);
		launch(w, names[i], 1010 + i * 100, 50 - i * 10);
	}
	analyse(w);
	expect(w, 0, "cat", texts[2], KNOWN_OP_SIZES, ns[2]);
	expect(w, 1, "cat", texts[0], KNOWN_OP_SIZES, ns[0]);
	expect(w, 2, "cat", texts[1], KNOWN_OP_SIZES, ns[1]);
}

static void a_collective_is_one_whatever_operator_is_around(void **state)
{
	struct world *w = *state;
	op(w, "aten::copy_", "[[8],[8]]", "[\"float\",\"float\"]", 1000, 100);
	launch(w, "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)", 1010,
		9);
	launch(w, "whatever", 1020, 4);
	analyse(w);
	expect(w, 0, "collective", "", KNOWN_RULE, 9);
	assert_true(w->p.operators.rows[0].collective);
	expect(w, 1, "copy", "x=[8] from_bits=32 to_bits=32", KNOWN_OP_SIZES,
		4);
}

static void an_unknown_name_is_unattributed(void **state)
{
	struct world *w = *state;
	launch(w, "zebra_kernel_of_nobody", 1000, 5);
	launch(w, "zebra_kernel_of_nobody", 1100, 6);
	launch(w, "splitKreduce_kernel<float>", 1200, 7);
	analyse(w);
	const struct operators *o = &w->p.operators;
	expect(w, 0, "nobody", "", KNOWN_NOT, 11);
	assert_null(o->shapes[0].grid);
	expect(w, 1, "gemm", "", KNOWN_RULE, 7);
	assert_int_equal(o->unattributed_n, 1);
	assert_int_equal(o->unattributed[0].launches, 2);
	assert_int_equal(o->unattributed[0].total_ns, 11);
	assert_string_equal(w->p.kernels[o->unattributed[0].kernel].name,
		"zebra_kernel_of_nobody");
}

static void replayed_kernels_are_not_of_the_launching_operator(void **state)
{
	struct world *w = *state;
	op(w, "aten::mm", "[[64,128],[128,256]]", "[\"float\",\"float\"]", 1000,
		100);
	rows_call(&w->t, "cudaGraphLaunch", "1", 1010, 1, 1010);
	rows_launched(&w->t, "zebra_kernel_of_nobody", 2000, 5, 1010);
	rows_launched(&w->t, "splitKreduce_kernel<float>", 2010, 6, 1010);
	analyse(w);
	expect(w, 0, "gemm", "", KNOWN_RULE, 6);
	expect(w, 1, "nobody", "", KNOWN_NOT, 5);
	assert_int_equal(w->p.operators.replayed, 2);
	assert_int_equal(w->p.operators.replayed_known, 0);
}

/* Two kernels without a call that share the External id of one operator; in
 * `same` they share their correlation, too. */
static void by_external_id(struct world *w, bool same)
{
	op(w, "aten::mm", "[[64,128],[128,256]]", "[\"float\",\"float\"]", 7,
		100);
	for (int i = 0; i < 2; i++)
		trace_kernel_add(&w->t,
			&(struct kernel_row){ .start_ns = 2000 + i * 10,
				.dur_ns = 4,
				.name = rows_name(&w->t, "zebra"),
				.correlation = same ? 7 : 99,
				.external_id = 7 });
	analyse(w);
}

static void an_external_id_joins_the_operator(void **state)
{
	struct world *w = *state;
	by_external_id(w, false);
	expect(w, 0, "gemm", "m=64 n=256 k=128", KNOWN_OP_SIZES, 8);
}

static void a_repeated_correlation_joins_nothing(void **state)
{
	struct world *w = *state;
	by_external_id(w, true);
	expect(w, 0, "nobody", "", KNOWN_NOT, 8);
}

static void inductor_s_kernels_are_operators_of_their_own_name(void **state)
{
	struct world *w = *state;
	op(w, "triton_poi_fused_add_0", "[[4,8],[4,8],[]]",
		"[\"float\",\"float\",\"Scalar\"]", 1000, 100);
	launch(w, "triton_poi_fused_add_0", 1010, 5);
	analyse(w);
	assert_non_null(w->p.operators.rows[0].name);
	assert_int_equal(w->p.operators.shapes[0].known, KNOWN_OP_SIZES);
}

static void copies_tell_bytes_and_graphs_nothing(void **state)
{
	struct world *w = *state;
	rows_copy(&w->t, "Memcpy HtoD (Pageable -> Device)", 1000, 9, 0, 64,
		false);
	rows_copy(&w->t, "Memcpy HtoD (Pinned -> Device)", 1100, 8, 0, 64,
		false);
	rows_copy(&w->t, "Memset (Device)", 1200, 3, 0, 4, true);
	rows_copy(&w->t, "Memcpy DtoD (Device -> Device)", 1300, 2, 0, -1,
		false);
	rows_graph(&w->t, 4, 5, 1400, 100, 0);
	analyse(w);
	expect(w, 0, "nobody", "", KNOWN_NOT, 100);
	expect(w, 1, "copy", "bytes=64", KNOWN_RECORD, 17);
	assert_string_equal(w->p.operators.shapes[1].grid, "Host-to-Device");
	assert_string_equal(w->p.operators.shapes[1].why,
		"it moves over a link whose speed no platform in the catalog states");
	expect(w, 2, "copy", "", KNOWN_RECORD, 2);
	assert_string_equal(w->p.operators.shapes[2].grid, "Device-to-Device");
	expect(w, 3, "memset", "bytes=4", KNOWN_RECORD, 3);
}

static void grids_stand_in_where_sizes_are_unknown(void **state)
{
	struct world *w = *state;
	rows_kernel(&w->t, "splitKreduce_kernel<float>", 1000, 5, 0, 16);
	rows_kernel(&w->t, "splitKreduce_kernel<float>", 1100, 4, 0, 8);
	analyse(w);
	expect(w, 0, "gemm", "", KNOWN_RULE, 5);
	assert_string_equal(w->p.operators.shapes[0].grid, "16x1x1 / 128x1x1");
	assert_string_equal(w->p.operators.shapes[1].grid, "8x1x1 / 128x1x1");
}

static void dims_past_64_bits_are_no_sizes_and_noted(void **state)
{
	struct world *w = *state;
	op(w, "aten::mm", "[[64,9223372036854775808],[128,256]]",
		"[\"float\",\"float\"]", 1000, 100);
	launch(w, "whatever", 1010, 5);
	analyse(w);
	expect(w, 0, "gemm", "", KNOWN_OP, 5);
	assert_int_equal(w->p.notes.count[NOTE_dims_unreadable], 1);
	assert_string_equal(w->p.notes.detail[NOTE_dims_unreadable],
		"[[64,9223372036854775808],[128,256]]");
}

/* The result is unattributed, and the built-in rules are used. */
static void a_rule_that_gives_up_is_noted(void **state)
{
	struct world *w = *state;
	const struct catalog_own own = {
		.rules = "[{\"match\": \"zz\", \"operator\": \"scan\"}, "
			 "{\"match\": \"(?:\\\\w+\\\\w*)*!\", "
			 "\"operator\": \"sort\"}]"
	};
	struct catalog *c = catalog_new(&own, &w->e);
	w->families = c;
	launch(w, "nvjet_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 10, 5);
	launch(w, "nvjet_b", 20, 4);
	analyse(w);
	expect(w, 0, "gemm", "", KNOWN_RULE, 9);
	assert_int_equal(w->p.notes.count[NOTE_rule_gave_up], 1);
	assert_string_equal(w->p.notes.detail[NOTE_rule_gave_up],
		"nvjet_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_innermost_known_operator_counts),
		WORLD_TEST(kernels_of_one_operator_are_one_call),
		WORLD_TEST(dims_may_come_from_the_same_operator_around),
		WORLD_TEST(
			numbers_without_a_type_have_the_width_in_the_kernels_name),
		WORLD_TEST(a_collective_is_one_whatever_operator_is_around),
		WORLD_TEST(an_unknown_name_is_unattributed),
		WORLD_TEST(replayed_kernels_are_not_of_the_launching_operator),
		WORLD_TEST(an_external_id_joins_the_operator),
		WORLD_TEST(a_repeated_correlation_joins_nothing),
		WORLD_TEST(inductor_s_kernels_are_operators_of_their_own_name),
		WORLD_TEST(copies_tell_bytes_and_graphs_nothing),
		WORLD_TEST(grids_stand_in_where_sizes_are_unknown),
		WORLD_TEST(dims_past_64_bits_are_no_sizes_and_noted),
		WORLD_TEST(a_rule_that_gives_up_is_noted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_attribute_range.c - tests launches that are attributed by ranges: by
 * shapes, modules and serving steps in their names. */
#include "world.h"
#include <stdio.h>

/* A kernel that the main thread launched at `at_ns`. */
static void launch(struct world *w, const char *kernel, int64_t at_ns)
{
	rows_call(&w->t, "cudaLaunchKernel", "main", at_ns, 1, at_ns);
	rows_launched(&w->t, kernel, at_ns + 2, 5, at_ns);
}

static void range(struct world *w, const char *name, int64_t at_ns)
{
	rows_range(&w->t, RANGE_ANNOTATION, name, "main", at_ns, 100);
}

/* "sizes gemm m=4 n=2 k=8": the row of the first shape. */
static void is(struct world *w, const char *expected)
{
	static const char *const words[] = {
#define KNOWN(code, word, what) #word,
#include "known.def"
#undef KNOWN
	};
	char got[300];

	assert_true(world_analyse(w));
	const struct operators *o = &w->p.operators;
	assert_int_equal(o->shapes_n, 1);
	const struct operator_stat *of = &o->rows[o->shapes[0].operator_];
	snprintf(got, sizeof got, "%s %s %s", words[o->shapes[0].known],
		of->name ? of->name : "-",
		o->shapes[0].text ? o->shapes[0].text : "-");
	assert_string_equal(got, expected);
}

static void nvtx_with_sizes(void **state)
{
	struct world *w = *state;
	range(w, "aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]", 10);
	launch(w, "k", 20);
	is(w, "sizes gemm m=4 n=2 k=8");
}

/* aten::linear only calls other operators. */
static void nvtx_within_others(void **state)
{
	struct world *w = *state;
	range(w, "aten::linear, op_id = 2, sizes = [[4, 8], [2, 8]]", 5);
	range(w, "aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]", 10);
	range(w, "aten::view, op_id = 4, sizes = [[4, 8]]", 15);
	launch(w, "k", 20);
	is(w, "sizes gemm m=4 n=2 k=8");
}

static void nvtx_without_sizes(void **state)
{
	struct world *w = *state;
	range(w, "aten::mm, op_id = 3", 10);
	launch(w, "k", 20);
	is(w, "range gemm -");
}

static void nvtx_over_when_launched(void **state)
{
	struct world *w = *state;
	range(w, "aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]", 10);
	launch(w, "k", 120);
	is(w, "not - -");
}

static void nvtx_of_another_thread(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_ANNOTATION, "aten::mm, op_id = 3", "other", 10,
		100);
	launch(w, "k", 20);
	is(w, "not - -");
}

/* Dims that do not fit into 64 bits are excluded and noted. */
static void nvtx_sizes_too_large(void **state)
{
	struct world *w = *state;
	range(w, "aten::mm, op_id = 3, sizes = [[99999999999999999999, 8]]",
		10);
	launch(w, "k", 20);
	is(w, "range gemm -");
	assert_int_equal(w->p.notes.count[NOTE_dims_unreadable], 1);
}

/* The host operator of the launch has dims and also gives the dtype. A range
 * with sizes takes precedence, because the program's author added it on
 * purpose. */
static void people_name_sizes(void **state)
{
	struct world *w = *state;
	range(w, "rms_norm bf16 tokens=16 hidden=4096", 10);
	launch(w, "k", 20);
	is(w, "sizes rms_norm tokens=16 hidden=4096");
	assert_int_equal(w->p.operators.rows[0].dtype, DTYPE_BF16);
}

static void people_almost_name_sizes(void **state)
{
	struct world *w = *state;
	range(w, "rms_norm tokens=16 hidden", 10);
	launch(w, "k", 20);
	is(w, "not - -");
}

static void layer_of_a_gemm(void **state)
{
	struct world *w = *state;
	range(w,
		"{'Module': 'm.qkv_proj', 'TrainableParams': {'weight': "
		"[6144, 4096]}, 'Inputs': [[3, 7, 4096]]}",
		10);
	launch(w, "nvjet_tst_64x8_64x16_4x1_v_bz_TNT", 20);
	is(w, "sizes gemm m=21 n=6144 k=4096");
}

static void layer_of_a_norm(void **state)
{
	struct world *w = *state;
	range(w,
		"{'Module': 'm.norm', 'TrainableParams': {'weight': [4096]}, "
		"'Inputs': [[16, 4096]]}",
		10);
	launch(w, "void vllm::rms_norm_kernel<c10::BFloat16>(int)", 20);
	is(w, "sizes rms_norm tokens=16 hidden=4096");
}

/* Other launches of a module have other shapes. */
static void layer_of_something_else(void **state)
{
	struct world *w = *state;
	range(w,
		"{'Module': 'm.qkv_proj', 'TrainableParams': {'weight': "
		"[6144, 4096]}, 'Inputs': [[3, 4096]]}",
		10);
	launch(w, "void vllm::rms_norm_kernel<c10::BFloat16>(int)", 20);
	is(w, "rule rms_norm -");
}

static void module_by_class(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_MODULE, "nn.Module: Qwen2RMSNorm_3", "main", 10,
		100);
	launch(w, "k", 20);
	is(w, "range rms_norm -");
}

/* Replayed kernels were launched elsewhere, so ranges that are open during the
 * replay do not apply. */
static void around_a_graph(void **state)
{
	struct world *w = *state;
	range(w, "aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]", 10);
	rows_call(&w->t, "cudaGraphLaunch", "main", 20, 1, 20);
	rows_launched(&w->t, "k", 22, 5, 20);
	is(w, "not - -");
}

/* The operator around the stream capture is not in the catalog. The captured
 * kernel is attributed by its name and gets the dims of that operator. */
static void captured_below_a_stranger(void **state)
{
	struct world *w = *state;
	struct trace *t = &w->t;
	rows_call(t, "hipStreamBeginCapture", "main", 10, 1, 1);
	trace_op_add(t, &(struct op_row){ .start_ns = 20,
				.dur_ns = 50,
				.name = rows_name(t, "SortTokens"),
				.thread = rows_name(t, "main"),
				.external_id = 4,
				.dims = rows_name(t, "[[8192,4],[]]") });
	for (int i = 0; i < 2; i++)
		trace_call_add(t,
			&(struct call_row){ .start_ns = 30 + i,
				.dur_ns = 1,
				.name = rows_name(t, "hipLaunchKernel"),
				.thread = rows_name(t, "main"),
				.correlation = 2 + i,
				.external_id = 4,
				.kernel = rows_name(t,
					i ? "_combined_routing_compute"
					  : "_sum_bitmatrix_rows") });
	rows_call(t, "hipStreamEndCapture", "main", 80, 1, 4);
	rows_call(t, "hipGraphLaunch", "main", 90, 1, 5);
	rows_launched(t, "_sum_bitmatrix_rows", 100, 5, 5);
	rows_launched(t, "_combined_routing_compute", 110, 5, 5);
	is(w, "graph moe_routing in0=[8192,4]");
	assert_int_equal(w->p.operators.rows[0].launches, 2);
	assert_int_equal(w->p.operators.rows[0].calls, 1);
	assert_int_equal(w->p.operators.replayed, 2);
	assert_int_equal(w->p.operators.replayed_known, 2);
}

#define DECODE                                    \
	"execute_16_context_0(sq0sk0sqsq0sqsk0)_" \
	"generation_16(sq16sk8209sqsq16sqsk8209)"
#define PAGED "void vllm::paged_attention_v2_kernel<float>(int)"

static void step_gives_keys(void **state)
{
	struct world *w = *state;
	range(w, DECODE, 10);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seqs=16 kv_tokens=8209");
}

static void step_that_gives_fewer(void **state)
{
	struct world *w = *state;
	range(w, DECODE, 9);
	range(w, "step[DECODE bs=16]", 10);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seqs=16 kv_tokens=8209");
}

/* The outer range still applies after the inner ones have ended. */
static void step_around_steps(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_ANNOTATION, DECODE, "main", 0, 2000);
	for (int i = 0; i < 400; i++)
		rows_range(&w->t, RANGE_ANNOTATION, "step[DECODE bs=4]", "main",
			2 + i * 4, 3);
	launch(w, PAGED, 1500);
	launch(w, PAGED, 1800);
	is(w, "sizes paged_attention_decode seqs=16 kv_tokens=8209");
	assert_int_equal(w->p.operators.rows[0].calls, 2);
}

/* A shape holds at most 65,536 numbers. */
static void step_around_a_full_shape(void **state)
{
	struct world *w = *state;
	range(w, DECODE, 10);
	range(w, "paged_attention_decode seq_lens=[1*65536]", 11);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seq_lens=[1*65536]");
}

/* The share of decode in the keys of a mixed step is unknown. */
static void step_of_both_phases(void **state)
{
	struct world *w = *state;
	range(w, "execute_context_2(512)_generation_16(16)", 10);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seqs=16");
}

/* Two requests of 512 new tokens with 600 and 700 tokens in all, and 16 of one:
 * each new token attends to those before it and to itself. */
#define MIXED                                                       \
	"execute_1040_context_2(sq1024sk1300sqsq524288sqsk665600)_" \
	"generation_16(sq16sk8209sqsq16sqsk8209)"

static void step_of_both_phases_with_sums(void **state)
{
	struct world *w = *state;
	range(w, MIXED, 10);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seqs=16 kv_tokens=8209");
}

/* 665600 - (524288 - 1024) / 2 = 403968 pairs in prefill, 8209 in decode. */
static void unified_step_of_both_phases(void **state)
{
	struct world *w = *state;
	range(w, MIXED, 9);
	range(w, "unified_attention bf16 tokens=1040 heads=8", 10);
	launch(w, "kernel_unified_attention_2d", 20);
	is(w, "sizes unified_attention seqs=18 tokens=1040 heads=8 "
	      "kv_tokens=9509 qk_pairs=412177");
}

/* The graph was captured for 2048 tokens. */
static void unified_step_with_padding(void **state)
{
	struct world *w = *state;
	range(w, MIXED, 9);
	range(w, "unified_attention bf16 tokens=2048 heads=8", 10);
	launch(w, "kernel_unified_attention_2d", 20);
	is(w, "sizes unified_attention seqs=18 tokens=1040 heads=8 "
	      "kv_tokens=9509 qk_pairs=412177");
}

/* Half of the step, as of an engine that overlaps two half batches. */
static void unified_step_of_more_tokens(void **state)
{
	struct world *w = *state;
	range(w, MIXED, 9);
	range(w,
		"unified_attention bf16 tokens=520 heads=8 kv_heads=1 "
		"head_dim=64",
		10);
	launch(w, "kernel_unified_attention_2d", 20);
	is(w, "sizes unified_attention tokens=520 heads=8 kv_heads=1 "
	      "head_dim=64");
	assert_string_equal(w->p.operators.shapes[0].why,
		"the cost of 'unified_attention' needs its size 'seq_lens', "
		"which is unknown: the launch has another number of tokens "
		"than the label of its step");
}

static void forward_in_a_mixed_step(void **state)
{
	static const struct {
		const char *range, *expected;
	} cases[] = {
		{ "attention_forward bf16 tokens=1024 heads=8",
			"sizes attention_forward tokens=1024 seqs=2 heads=8 "
			"kv_tokens=1300 qk_pairs=403968" },
		{ "attention_forward bf16 tokens=1040 heads=8",
			"sizes attention_forward tokens=1040 seqs=18 heads=8 "
			"kv_tokens=9509 qk_pairs=412177" },
		{ "attention_forward bf16 tokens=16 heads=8",
			"sizes attention_forward tokens=16 heads=8" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		range(*state, MIXED, 9);
		range(*state, cases[i].range, 10);
		launch(*state, "void flash_fwd_kernel<Flash>(int)", 20);
		is(*state, cases[i].expected);
	}
}

static void forward_in_a_window(void **state)
{
	struct world *w = *state;
	range(w, MIXED, 9);
	range(w,
		"attention_forward bf16 tokens=1024 heads=8 head_dim=64 "
		"window_left=127",
		10);
	launch(w, "void flash_fwd_kernel<Flash>(int)", 20);
	is(w, "sizes attention_forward tokens=1024 heads=8 head_dim=64 "
	      "window_left=127");
	assert_non_null(strstr(w->p.operators.shapes[0].why,
		": the label of its step has sums over whole contexts, of "
		"which a window is a part"));
}

/* Each request verifies one drafted token beside its new one. */
static void step_with_drafts(void **state)
{
	struct world *w = *state;
	range(w,
		"step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 "
		"g_sk=131072]",
		10);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seqs=64 tokens=128 "
	      "kv_tokens=131072 qk_pairs=262080");
}

/* The cache has 8 bits per number, and the operator 16. */
static void step_with_a_narrow_cache(void **state)
{
	struct world *w = *state;
	trace_op_add(&w->t,
		&(struct op_row){ .start_ns = 1,
			.dur_ns = 2,
			.name = rows_name(&w->t,
				"_C_cache_ops::reshape_and_cache_flash"),
			.thread = rows_name(&w->t, "main"),
			.types = rows_name(&w->t,
				"[\"c10::BFloat16\",\"c10::BFloat16\","
				"\"unsigned char\",\"unsigned char\"]") });
	range(w, DECODE, 9);
	range(w, "paged_attention_decode bf16 heads=8", 10);
	launch(w, PAGED, 20);
	is(w, "sizes paged_attention_decode seqs=16 heads=8 kv_tokens=8209 "
	      "kv_bits=8");
}

static void steps_with_odd_labels(void **state)
{
	struct world *w = *state;
	rows_range(&w->t, RANGE_ANNOTATION, "step[DECODE bs=]", "main", 1, 2);
	range(w, "step[DECODE bs=9 g_sq=8 g_sqsq=8 g_sqsk=80 g_sk=80]", 10);
	launch(w, PAGED, 20);
	is(w, "rule paged_attention_decode -");
	assert_int_equal(w->p.notes.count[NOTE_step_label], 2);
}

static void step_around_no_attention(void **state)
{
	struct world *w = *state;
	range(w, DECODE, 10);
	launch(w, "void vllm::rms_norm_kernel<c10::BFloat16>(int)", 20);
	is(w, "rule rms_norm -");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(nvtx_with_sizes),
		WORLD_TEST(nvtx_within_others),
		WORLD_TEST(nvtx_without_sizes),
		WORLD_TEST(nvtx_over_when_launched),
		WORLD_TEST(nvtx_of_another_thread),
		WORLD_TEST(nvtx_sizes_too_large),
		WORLD_TEST(people_name_sizes),
		WORLD_TEST(people_almost_name_sizes),
		WORLD_TEST(layer_of_a_gemm),
		WORLD_TEST(layer_of_a_norm),
		WORLD_TEST(layer_of_something_else),
		WORLD_TEST(module_by_class),
		WORLD_TEST(around_a_graph),
		WORLD_TEST(captured_below_a_stranger),
		WORLD_TEST(step_gives_keys),
		WORLD_TEST(step_that_gives_fewer),
		WORLD_TEST(step_around_steps),
		WORLD_TEST(step_around_a_full_shape),
		WORLD_TEST(step_of_both_phases),
		WORLD_TEST(step_of_both_phases_with_sums),
		WORLD_TEST(unified_step_of_both_phases),
		WORLD_TEST(unified_step_with_padding),
		WORLD_TEST(unified_step_of_more_tokens),
		WORLD_TEST(forward_in_a_mixed_step),
		WORLD_TEST(forward_in_a_window),
		WORLD_TEST(step_with_drafts),
		WORLD_TEST(step_with_a_narrow_cache),
		WORLD_TEST(steps_with_odd_labels),
		WORLD_TEST(step_around_no_attention),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

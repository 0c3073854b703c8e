/* test_kernel_groups.c - tests the search for kernels that are always launched
 * together, with launches lost and inserted. Repeating layers are not
 * groups. */
#include "attribute_world.h"
#include <stdio.h>

#define NORM "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>"
#define QKV "nvjet_tst_128x128_64x6_2x1_v_bz_splitK_TNT"
#define DOWN "nvjet_tst_64x64_64x13_2x1_v_bz_splitK_TNT"
#define PLAIN "nvjet_tst_256x128_64x4_2x1_v_bz_TNT"
#define REDUCE                                                    \
	"void cublasLt::splitKreduce_kernel<32, 16, int, float, " \
	"__nv_bfloat16>"
#define ROPE "void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel<true>"
#define PREPARE "flash::prepare_varlen_num_blocks_kernel(int, int)"
#define FWD                                                               \
	"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::" \
	"FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2>>>>"
#define COMBINE                                                          \
	"void cutlass::device_kernel<flash::enable_sm80_to_sm89<flash::" \
	"FlashAttnFwdCombine<64>>>"
#define ACT "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16>"
#define NOISE "void at::native::vectorized_elementwise_kernel<4>"

static const char *const layer[] = { NORM, QKV, REDUCE, ROPE, PREPARE, FWD,
	COMBINE, PLAIN, NORM, PLAIN, ACT, DOWN, REDUCE, NULL };

static uint32_t drawn(uint64_t *r, uint32_t below)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*r >> 33) % below);
}

/* Adds launches of a process without host events, on one stream. `noise` per
 * thousand are lost, and as many are inserted. */
static void replay(struct world *w, const char *const *names, int times,
	uint32_t noise, int64_t stream)
{
	uint64_t r = 11;
	struct kernel_rows *k = &w->t.kernel;

	while (times-- > 0)
		for (int i = 0; names[i]; i++) {
			if (drawn(&r, 1000) < noise) {
				rows_kernel(&w->t, NOISE, k->n * 10, 5, 0, 1);
				k->stream[k->n - 1] = stream;
			}
			if (drawn(&r, 1000) < noise)
				continue;
			rows_kernel(&w->t, names[i], k->n * 10, 5, 0, 1);
			k->stream[k->n - 1] = stream;
		}
}

static const struct kernel_group *group_of(const struct world *w,
	const char *const *names)
{
	for (uint32_t i = 0; i < w->p.groups.n; i++) {
		const struct kernel_group *g = &w->p.groups.groups[i];
		uint32_t k = 0;
		while (k < g->kernels_n && names[k] &&
			!strcmp(w->p.kernels[g->kernels[k]].name, names[k]))
			k++;
		if (k == g->kernels_n && !names[k])
			return g;
	}
	return NULL;
}
#define GROUP(w, ...) group_of(w, (const char *const[]){ __VA_ARGS__, NULL })

static void without_noise(void **state)
{
	struct world *w = *state;
	const struct kernel_group *g;

	replay(w, layer, 64, 0, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 3);
	g = GROUP(w, PREPARE, FWD, COMBINE);
	assert_non_null(g);
	assert_int_equal(g->evidence, GROUP_CATALOG);
	assert_int_equal(g->support, 64);
	assert_true(g->confidence == 1);
	assert_string_equal(g->operator_, "attention_forward");
	assert_int_equal(g->total_ns, 64 * 3 * 5);
	assert_int_equal(g->alone, 0);
	assert_true(g == &w->p.groups.groups[0]); /* most time */
	g = GROUP(w, QKV, REDUCE);
	assert_non_null(g);
	assert_int_equal(g->support, 64);
	assert_string_equal(g->operator_, "gemm");
	g = GROUP(w, DOWN, REDUCE);
	assert_non_null(g);
	assert_true(g->confidence == 1);
}

/* One in fifty is lost and as many are inserted: a group is complete in
 * 0.98^2 of its launches per neighbor. */
static void with_noise(void **state)
{
	struct world *w = *state;
	const struct kernel_group *g;

	replay(w, layer, 2000, 20, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 3);
	g = GROUP(w, PREPARE, FWD, COMBINE);
	assert_non_null(g);
	assert_in_range(g->support, 1700, 1900);
	assert_true(g->confidence > 0.9 && g->confidence < 1);
	assert_true(g->alone > 0);
	g = GROUP(w, QKV, REDUCE);
	assert_non_null(g);
	assert_in_range(g->support, 1820, 1960);
	assert_non_null(GROUP(w, DOWN, REDUCE));
}

static void two_streams(void **state)
{
	struct world *w = *state;
	static const char *const first[] = { QKV, NULL };
	static const char *const then[] = { REDUCE, NULL };

	for (int i = 0; i < 50; i++) {
		replay(w, first, 1, 0, 1);
		replay(w, then, 1, 0, 2);
	}
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 0);
}

/* Eleven unattributed kernels that repeat. */
static void a_layer_is_no_group(void **state)
{
	struct world *w = *state;
	static const char *const one[] = { "a", "b", "c", "d", "e", "f", "g",
		"h", "i", "j", "k", NULL };

	replay(w, one, 500, 0, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 0);
}

/* Two kinds of layer share their first kernels. */
static void kernels_of_two_kinds_are_no_group(void **state)
{
	struct world *w = *state;
	static const char *const dense[] = { "a", "b", "x", "y", "z", NULL };
	static const char *const experts[] = { "a", "b", "p", "q", NULL };

	for (int i = 0; i < 200; i++)
		replay(w, i % 3 ? experts : dense, 1, 0, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 0);
}

/* Consecutive products are not a group, although they have one operator. */
static void products_in_a_row(void **state)
{
	struct world *w = *state;
	static const char *const row[] = { NORM, PLAIN, QKV, DOWN, NULL };

	replay(w, row, 100, 0, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 0);
}

/* Called from four places, each with its own neighbors. */
static void between_different_neighbors(void **state)
{
	struct world *w = *state;
	static const char *const one[] = { "a", "p", "q", "b", "c", "p", "q",
		"d", "e", "p", "q", "f", "g", "p", "q", "h", NULL };

	replay(w, one, 200, 20, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 1);
	const struct kernel_group *g = GROUP(w, "p", "q");
	assert_non_null(g);
	assert_int_equal(g->evidence, GROUP_SEQUENCE);
	assert_null(g->operator_);
	assert_true(g->confidence > 0.9 && g->confidence < 1);
	assert_true(g->support > 700 && g->support < 800);
}

/* The host operators decide what one call is: a GEMM has a reduction in one
 * place of the layer and none in another. */
static void one_call(void **state)
{
	struct world *w = *state;
	const struct kernel_group *g;

	for (int i = 0; i < 60; i++) {
		int64_t at = 1000 * i;
		op(w, "aten::mm", "[[4,8],[8,2]]", "[\"float\",\"float\"]", at,
			100);
		launch(w, "k_gemm", at + 10, 7);
		if (i % 3 == 0)
			launch(w, "k_sum", at + 20, 3);
		op(w, "aten::mm", "[[4,8],[8,2]]", "[\"float\",\"float\"]",
			at + 200, 100);
		launch(w, "k_other", at + 210, 7);
	}
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 1);
	g = GROUP(w, "k_gemm", "k_sum");
	assert_non_null(g);
	assert_int_equal(g->evidence, GROUP_CALL);
	assert_int_equal(g->support, 20);
	assert_true(g->confidence == 1);
	assert_int_equal(g->total_ns, 200);
	assert_int_equal(g->alone, 40);
	assert_string_equal(g->operator_, "gemm");
}

/* Launches of different operator calls are not joined, even if the catalog
 * would join them. */
static void calls_that_differ(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 20; i++) {
		int64_t at = 1000 * i;
		op(w, "aten::mm", "[[4,8],[8,2]]", "[\"float\",\"float\"]", at,
			100);
		launch(w, QKV, at + 10, 7);
		op(w, "aten::mm", "[[4,8],[8,2]]", "[\"float\",\"float\"]",
			at + 200, 100);
		launch(w, REDUCE, at + 210, 7);
	}
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 0);
}

static void one_kernel_again_and_again(void **state)
{
	struct world *w = *state;
	static const char *const one[] = { FWD, NULL };

	replay(w, one, 100000, 0, 7);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.groups.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(without_noise),
		WORLD_TEST(with_noise),
		WORLD_TEST(two_streams),
		WORLD_TEST(a_layer_is_no_group),
		WORLD_TEST(kernels_of_two_kinds_are_no_group),
		WORLD_TEST(products_in_a_row),
		WORLD_TEST(between_different_neighbors),
		WORLD_TEST(one_call),
		WORLD_TEST(calls_that_differ),
		WORLD_TEST(one_kernel_again_and_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

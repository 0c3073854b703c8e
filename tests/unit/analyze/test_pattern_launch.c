/* test_pattern_launch.c - tests in which order, with which grids and for which
 * operators kernels were launched. */
#include "iteration_rows.h"
#include "attribution.h"
#include <stdlib.h>

#define GELU "triton_poi_fused_add_gelu_2"
#define TILE "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn"

static const int64_t m[] = { 64 }, n[] = { 128 }, k[] = { 32 };
static const struct size sizes[] = { { "m", m, 1, false }, { "n", n, 1, false },
	{ "k", k, 1, false } };
static const struct shape shape = { DTYPE_BF16, sizes, 3 };

/* The pattern of a kernel on device 0 or 1. */
static const struct pattern_launch *launch_of(const struct world *w,
	const char *name, const char *device)
{
	const struct pattern *p = given_find(w, name, device);
	assert_non_null(p);
	return &p->launch;
}

static void texts_are(const struct pattern_texts *t, uint32_t count,
	const char *first, const char *second)
{
	assert_int_equal(t->n, count);
	if (count > 0)
		assert_string_equal(t->list[0], first);
	if (count > 1)
		assert_string_equal(t->list[1], second);
}

/* Two streams of device 0: first the kernels of the stream that begins first.
 * The first iteration is warm-up, in which the order is another. */
static void fill(struct trace *t)
{
	rows_kernel(t, "norm", 0, 5, 0, 1);
	rows_kernel(t, GELU, 10, 5, 0, 1);
	rows_kernel(t, TILE, 100, 5, 0, 8);
	rows_kernel(t, GELU, 110, 5, 0, 4);
	rows_kernel(t, "norm", 120, 5, 0, 1);
	rows_kernel(t, GELU, 130, 5, 0, 2);
	rows_kernel(t, TILE, 140, 5, 1, 0);
	rows_kernel(t, GELU, 200, 5, 0, 2);
}

static void test_launches(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	fill(&w->t);
	given_iteration(w, &g, 0, 50);
	given_iteration(w, &g, 100, 60);
	given_iteration(w, &g, 200, 50);
	g.iterations[0].use = ITERATION_WARMUP;
	given_rows(w, &g);
	given_patterns(w, &g);

	struct attributed of[8] = { 0 };
	const struct operator_info *gemm =
		catalog_operator(w->families, "gemm");
	for (int i = 0; i < 8; i++)
		of[i] = (struct attributed){ .known = KNOWN_NOT };
	of[2] = (struct attributed){ .op = gemm,
		.sizes = &shape,
		.known = KNOWN_OP_SIZES };
	/* the name alone gives the operator: not a fact of its own */
	of[6] = (struct attributed){ .op = gemm, .known = KNOWN_RULE };
	const struct attribution at = { .trace = &w->t,
		.proc = &w->t.processes[0],
		.catalog = w->families,
		.profile = &w->p,
		.kernel_of = g.kernel_of,
		.of = of,
		.arena = &w->arena };
	const struct iteration_rows rows = { g.kernel, g.copy, g.graph };
	assert_true(pattern_launch_from(&at, &rows));

	assert_int_equal(launch_of(w, TILE, "GPU 0")->order, 1);
	assert_int_equal(launch_of(w, GELU, "GPU 0")->order, 2);
	assert_int_equal(launch_of(w, "norm", "GPU 0")->order, 3);
	assert_int_equal(launch_of(w, TILE, "GPU 1")->order, 1);
	/* grid 2 twice, grid 4 once; grid 1 only in the warm-up */
	texts_are(&launch_of(w, GELU, "GPU 0")->grids, 2, "2x1x1 / 128x1x1",
		"4x1x1 / 128x1x1");
	texts_are(&launch_of(w, GELU, "GPU 0")->operators, 0, NULL, NULL);
	texts_are(&launch_of(w, TILE, "GPU 0")->grids, 1, "8x1x1 / 128x1x1",
		NULL);
	texts_are(&launch_of(w, TILE, "GPU 0")->operators, 1,
		"gemm bf16 m=64 n=128 k=32", NULL);
	texts_are(&launch_of(w, TILE, "GPU 1")->grids, 0, NULL, NULL);
	texts_are(&launch_of(w, TILE, "GPU 1")->operators, 0, NULL, NULL);
	/* the whole name identifies this kernel */
	texts_are(&launch_of(w, "norm", "GPU 0")->grids, 0, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_launches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_breakdown_calls.c - tests that rows whose launches belong to one
 * operator call are joined and share its roofline bound. */
#include "row_scene.h"

enum { NORM, GEMM, REDUCE };

static void rows_of_one_call_belong_together(void **state)
{
	struct scene *w = *state;
	static const int64_t begins[] = { 1000, 2000 };

	scene_pass(w, 900, 3000);
	scene_section(w, SECTION_LAYER, NULL);
	scene_place(w, GEMM, 0, BLOCK_ATTENTION, 0);
	scene_place(w, REDUCE, 0, BLOCK_ATTENTION, 0);
	scene_place(w, GEMM, 0, BLOCK_ATTENTION, 0);
	scene_place(w, REDUCE, 0, BLOCK_ATTENTION, 0);
	scene_place(w, NORM, 0, BLOCK_ATTENTION, 0);
	scene_place(w, NORM, 0, BLOCK_MLP, 0);
	for (uint32_t i = 0; i < 2; i++) {
		scene_instance(w, 0, 0, i);
		for (uint32_t k = 0; k < 6; k++)
			scene_launch(w, k, k, begins[i] + 10 * k, 5,
				1 + i * 3 + k / 2);
	}
	w->items[4].is = w->items[10].is = NULL; /* norms have no known call */
	const struct breakdown *b = scene_rows(w);
	static const uint32_t groups[] = { 0, 0, 1, 1, ROW_NO_GROUP,
		ROW_NO_GROUP };
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(b->rows[i].group, groups[i]);
}

/* A reduction after two of three GEMMs does not make a group. */
static void rows_of_a_mined_group_belong_together(void **state)
{
	struct scene *w = *state;
	static const uint32_t members[] = { GEMM, REDUCE };
	static struct kernel_group group = { .kernels = members,
		.kernels_n = 2 };

	w->p.groups = (struct kernel_groups){ &group, 1 };
	scene_pass(w, 0, 10000);
	scene_section(w, SECTION_LAYER, NULL);
	scene_place(w, GEMM, 0, BLOCK_ATTENTION, 0);
	scene_place(w, REDUCE, 0, BLOCK_ATTENTION, 0);
	scene_place(w, GEMM, 0, BLOCK_ATTENTION, 0);
	scene_place(w, REDUCE, 0, BLOCK_ATTENTION, 0);
	for (uint32_t i = 0; i < 3; i++) {
		scene_instance(w, 0, 0, i);
		for (uint32_t k = 0; k < (i ? 4 : 3); k++)
			w->group_of[scene_launch(w, k, GEMM + k % 2,
				1000 * i + 10 * k, 5, 0)] = 0;
	}
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->rows[0].group, 0);
	assert_int_equal(b->rows[1].group, 0);
	assert_int_equal(b->rows[2].group, ROW_NO_GROUP);
	assert_int_equal(b->rows[3].group, ROW_NO_GROUP);
}

/* Four calls of W = 4,194,304 at 989.4 TFLOP/s and of Q = 114,688 bytes at 3.35
 * TB/s, in three layers of 400 ns and one of 300 ns. */
static void work_of_the_layers(const struct section_work *work)
{
	double compute_ns = 4194304 / 989.4e3, memory_ns = 114688 / 3350.;

	assert_true(fabs(work->compute_ns - 4 * compute_ns) < 1e-9);
	assert_true(fabs(work->memory_ns - 4 * memory_ns) < 1e-9);
	assert_true(fabs(work->recomputed_ns - compute_ns) < 1e-9);
	assert_int_equal(work->known_ns, 1500);
	assert_int_equal(work->flops_ns, 1500);
	assert_int_equal(work->recompute_known_ns, 1200);
}

/* As in test_attribute_bound.c: 34,235 ps for the call; the product takes 300
 * of its 400 ns. At the clock of the run, W = 4,194,304 takes 100,000 ps. */
static void a_bound_is_split_by_time(void **state)
{
	struct scene *w = *state;
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct shape sizes;
	struct platform slow;

	assert_true(shape_read("m=64 n=256 k=128", DTYPE_FP16, &w->keep, &sizes,
		&e));
	w->at.catalog = c;
	w->at.platform = catalog_platform(c, "H100-SXM");
	slow = *w->at.platform;
	slow.peak_flops[DTYPE_FP16] = 4194304 / 100e-9;
	w->at.at_clock = &slow;
	scene_pass(w, 0, 10000);
	scene_section(w, SECTION_LAYER, NULL);
	scene_place(w, GEMM, 0, BLOCK_ATTENTION, 0);
	scene_place(w, REDUCE, 0, BLOCK_ATTENTION, 0);
	scene_place(w, NORM, 0, BLOCK_ATTENTION, 0);
	for (uint32_t i = 0; i < 4; i++) {
		scene_instance(w, 0, 0, i);
		scene_launch(w, 0, GEMM, 1000 * i, 300, i + 1);
		if (i < 3)
			scene_launch(w, 1, REDUCE, 1000 * i + 300, 100, i + 1);
	}
	for (uint32_t i = 0; i < w->s.n; i++) {
		w->of[i].op = catalog_operator(c, "gemm");
		w->of[i].sizes = &sizes;
		/* the first call, of two launches, computes something again; of
		 * the last, of one launch, it is unknown whether it does */
		w->of[i].recompute = i < 2   ? RECOMPUTE_YES
				     : i < 6 ? RECOMPUTE_NO
					     : RECOMPUTE_UNKNOWN;
	}
	scene_launch(w, 2, NORM, 9000, 10, 0);
	const struct breakdown *b = scene_rows(w);
	assert_int_equal(b->rows[0].bound_launches, 4);
	assert_int_equal(b->rows[0].bound_ns, 1200);
	assert_int_equal(b->rows[0].sol_ps, 3 * 25676 + 34235);
	assert_int_equal(b->rows[0].clock_sol_ps, 3 * 75000 + 100000);
	assert_int_equal(b->rows[1].bound_launches, 3);
	assert_int_equal(b->rows[1].sol_ps, 3 * 8558);
	assert_int_equal(b->rows[2].bound_launches, 0);
	work_of_the_layers(&b->sections[0].work);
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(rows_of_one_call_belong_together),
		SCENE_TEST(rows_of_a_mined_group_belong_together),
		SCENE_TEST(a_bound_is_split_by_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

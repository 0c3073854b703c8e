/* test_breakdown_from.c - tests how layers are found, and the reason if there
 * are none. */
#include "world.h"

static bool breakdown_of(struct world *w, struct breakdown_params layers)
{
	struct profile_params a = { .breakdown = layers };

	rows_done(&w->t, &w->process);
	return profile_from_params(&w->t, 0, &a, w->families, NULL, &w->arena,
		&w->p, &w->e);
}

static struct breakdown_params no_params(void)
{
	return BREAKDOWN_DEFAULTS;
}

/* A prologue, twelve layers of four kernels, an epilogue; each kernel takes
 * 100 ns, with gaps of 10 ns. */
static void model(struct world *w)
{
	static const char *const layer[] = { "rmsnorm_kernel", "ampere_gemm",
		"flash_fwd_kernel", "silu_kernel" };
	int64_t at = 1000;

	rows_kernel(&w->t, "indexSelectLargeIndex", at, 100, 0, 1);
	for (int i = 0; i < 48; i++)
		rows_kernel(&w->t, layer[i % 4], at += 110, 100, 0, 1);
	rows_kernel(&w->t, "argmax_kernel", at + 110, 100, 0, 1);
}

static void repeated_kernels_are_layers(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	model(w);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(b->detector, LAYERS_PERIOD);
	assert_int_equal(b->layers, 12);
	assert_int_equal(b->passes, 1);
	assert_null(b->why);
	assert_int_equal(b->wall_ns, 50 * 110 - 10);
	assert_int_equal(b->idle_ns, 49 * 10);
	assert_true(b->layered.avg_ns == 48 * 110 - 10);
}

static void a_detector_can_be_requested(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	model(w);
	a.by = LAYERS_MODULES;
	assert_true(breakdown_of(w, a));
	assert_int_equal(w->p.breakdown.detector, LAYERS_NONE);
	assert_int_equal(w->p.breakdown.sections[0].place, SECTION_FLAT);
	assert_string_equal(w->p.breakdown.why,
		"no modules or numbered ranges are around launches");
}

static void layers_begin_where_somebody_says(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	model(w);
	a.layers.start = "gemm";
	assert_true(breakdown_of(w, a));
	assert_int_equal(w->p.breakdown.detector, LAYERS_GIVEN);
	assert_int_equal(w->p.breakdown.layers, 12);
}

/* A middle stage of a pipeline: layers, with no sections around them. */
static void stage(struct world *w)
{
	static const char *const layer[] = { "rmsnorm_kernel", "ampere_gemm",
		"rotary_kernel", "flash_fwd_kernel", "ampere_gemm",
		"rmsnorm_kernel", "ampere_gemm", "silu_kernel", "ampere_gemm" };
	static const int64_t ns[] = { 5, 60, 4, 50, 30, 5, 90, 8, 70 };
	int64_t at = 1000;

	for (int i = 0; i < 12 * 9; i++) {
		rows_kernel(&w->t, layer[i % 9], at, ns[i % 9] * 100, 0, 1);
		at += ns[i % 9] * 100 + 10;
	}
}

static const char iterations_are_layers[] =
	"what the run repeats are layers, not steps: each iteration found by the "
	"period of its kernels is one layer or part of one, so the whole "
	"recording is taken for one pass";

static void layers_alone_are_no_passes(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	stage(w);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(w->p.iterations.detector, ITERATIONS_PERIOD);
	assert_int_equal(b->detector, LAYERS_PERIOD);
	assert_int_equal(b->passes, 1);
	assert_int_equal(b->layers, 12);
	assert_string_equal(b->why, iterations_are_layers);
	assert_int_equal(b->wall_ns, 12 * 32290 - 10);
}

/* As a model of one layer makes them. */
static void steps_of_one_layer_are_no_layers(void **state)
{
	static const char *const step[] = {
		"void at::native::vectorized_gather_kernel<16, long>()",
		"rmsnorm_kernel", "ampere_gemm", "flash_fwd_kernel",
		"at::native::reduce_kernel<at::native::ArgMaxOps<float> >"
	};
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	for (int i = 0; i < 12 * 5; i++)
		rows_kernel(&w->t, step[i % 5], 1000 + 110 * i, 100, 0, 1);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(w->p.iterations.detector, ITERATIONS_PERIOD);
	assert_int_equal(b->detector, LAYERS_NONE);
	assert_int_equal(b->passes, 12);
	assert_string_equal(b->why,
		"no sequence of kernels repeats within a pass, as layers "
		"would");
}

static const char may_be_a_loop[] =
	"what repeats may be iterations of a loop: nothing in the repeating "
	"kernels shows that they are layers of a model";

/* Six time steps of a simulation, each with 20 iterations of a solver. No kernel
 * does what models consist of. */
static void loops(struct world *w)
{
	static const char *const solve[] = { "update_pressure",
		"update_velocity", "apply_boundary", "sum_residual" };
	int64_t at = 1000;

	for (int step = 0; step < 6; step++) {
		rows_kernel(&w->t, "set_forces", at += 110, 100, 0, 1);
		for (int i = 0; i < 20 * 4; i++)
			rows_kernel(&w->t, solve[i % 4], at += 110, 100, 0, 1);
		rows_kernel(&w->t, "write_frame", at += 110, 100, 0, 1);
	}
}

static void iterations_of_a_loop_are_no_layers(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	loops(w);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(b->detector, LAYERS_NONE);
	assert_int_equal(b->layers, 0);
	assert_string_equal(b->why, may_be_a_loop);
}

static void iterations_of_a_loop_can_be_requested(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	loops(w);
	a.by = LAYERS_PERIOD;
	assert_true(breakdown_of(w, a));
	assert_int_equal(w->p.breakdown.detector, LAYERS_PERIOD);
	assert_int_equal(w->p.breakdown.layers, 20);
}

/* Two forward passes of a convolutional network in a recording without
 * iterations. Both take the same time. */
static void networks(struct world *w)
{
	static const char *const net[] = {
		"cudnn_infer_volta_scudnn_128x64_relu_a",
		"max_pool_forward_nchw",
		"cudnn_infer_volta_scudnn_128x64_relu_b",
		"cudnn_infer_volta_scudnn_128x32_relu_c",
		"ampere_sgemm_32x32_tn", "dropout_kernel_vec",
		"ampere_sgemm_64x32_tn", "softmax_warp_forward"
	};
	int64_t at = 1000;

	for (int i = 0; i < 5; i++)
		rows_kernel(&w->t, "fill_weights", at += 110, 100, 0, 1);
	for (int i = 0; i < 2 * 8; i++)
		rows_kernel(&w->t, net[i % 8], at += 110, 100, 0, 1);
}

static void forward_passes_are_no_layers(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	networks(w);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(w->p.iterations.detector, ITERATIONS_WINDOW);
	assert_int_equal(b->detector, LAYERS_NONE);
	assert_string_equal(b->why, may_be_a_loop);
}

/* A pipeline's schedule: the forward pass of one micro-batch mixed with the
 * backward pass of another, with a range around each part. The sequence alone
 * looks like latent attention with absorbed weights. */
static void pipeline(struct world *w)
{
	static const struct {
		const char *range, *kernel;
	} part[] = {
		{ "attn(F)", "rmsnorm_kernel" },
		{ NULL, "ampere_gemm" },
		{ NULL, "rmsnorm_kernel" },
		{ NULL, "ampere_gemm" },
		{ NULL, "ampere_gemm" },
		{ NULL, "ampere_gemm" },
		{ NULL, "flash_fwd_kernel" },
		{ NULL, "ampere_gemm" },
		{ "mlp(B)", "ampere_gemm" },
		{ NULL, "silu_kernel" },
		{ "dispatch(F)", "send_rows" },
		{ "attn(B)", "flash_bwd_kernel" },
		{ NULL, "ampere_gemm" },
	};
	enum { PARTS = sizeof part / sizeof *part };
	int64_t at = 1000, id = 1;

	rows_kernel(&w->t, "indexSelectLargeIndex", at, 100, 0, 1);
	for (int i = 0; i < 6 * PARTS; i++, id++) {
		const char *range = part[i % PARTS].range;
		int n = 1;
		while (range && i % PARTS + n < PARTS &&
			!part[i % PARTS + n].range)
			n++;
		at += 110;
		if (range)
			rows_range(&w->t, RANGE_ANNOTATION, range, "main",
				at - 50, n * 110 - 5);
		rows_call(&w->t, "cudaLaunchKernel", "main", at - 40, 10, id);
		rows_launched(&w->t, part[i % PARTS].kernel, at, 100, id);
	}
	rows_kernel(&w->t, "argmax_kernel", at + 110, 100, 0, 1);
}

/* Ten rows are in attn(F) and attn(B), two in mlp(B), one in dispatch(F). Only
 * attention, which is known by its kernel's name, and the dispatch have a
 * role. */
static void a_backward_pass_has_the_blocks_of_its_ranges(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	uint32_t rows[BLOCKS] = { 0 }, attention = 0, dispatch = 0, other = 0;
	pipeline(w);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(b->detector, LAYERS_PERIOD);
	assert_int_equal(b->layers, 6);
	for (uint32_t i = 0; i < b->rows_n; i++) {
		const struct breakdown_row *r = &b->rows[i];
		const struct breakdown_block *of = &b->blocks[r->block];
		if (b->sections[of->section].place != SECTION_LAYER)
			continue;
		rows[of->kind]++;
		attention += of->kind == BLOCK_ATTENTION &&
			     r->roles == ROLE_BIT(ATTENTION);
		dispatch += of->kind == BLOCK_MOE &&
			    r->roles == ROLE_BIT(DISPATCH) && r->role_by_module;
		other += r->roles != 0;
	}
	assert_int_equal(rows[BLOCK_ATTENTION], 10);
	assert_int_equal(rows[BLOCK_MLP], 2);
	assert_int_equal(rows[BLOCK_MOE], 1);
	assert_int_equal(attention, 1);
	assert_int_equal(dispatch, 1);
	assert_int_equal(other, 2);
}

static void layers_alone_begin_where_somebody_says(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	struct breakdown_params a = no_params();
	stage(w);
	a.layers.start = "rmsnorm";
	a.layers.every = 2;
	assert_true(breakdown_of(w, a));
	assert_int_equal(b->detector, LAYERS_GIVEN);
	assert_int_equal(b->passes, 1);
	assert_int_equal(b->layers, 12);
	assert_int_equal(b->sections_n, 1);
	assert_string_equal(b->why, iterations_are_layers);
}

static void an_unknown_range_is_an_error(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	model(w);
	a.layers.start = "dragon";
	assert_false(breakdown_of(w, a));
	assert_int_equal(w->e.code, ERR_NOT_FOUND);
	assert_string_equal(w->e.text,
		"no kernel that counts has a name with 'dragon' in it");
}

/* Iterations given by annotations stay iterations, with one layer in each. */
static void ranges_named_by_the_user_are_given(void **state)
{
	struct world *w = *state;
	const struct breakdown *b = &w->p.breakdown;
	struct breakdown_params a = no_params();
	for (int i = 0; i < 3; i++) {
		int64_t at = 1000 + i * 100;
		rows_range(&w->t, RANGE_ANNOTATION, "chunk", "1", at, 90);
		rows_call(&w->t, "cudaLaunchKernel", "1", at + 10, 10, i + 1);
		rows_launched(&w->t, "ampere_gemm", at + 40, 30, i + 1);
	}
	a.layers.range = "chunk";
	assert_true(breakdown_of(w, a));
	assert_int_equal(b->detector, LAYERS_GIVEN);
	assert_string_equal(b->anchor, "chunk");
	assert_int_equal(b->passes, 3);
	assert_int_equal(b->layers, 1);
	assert_null(b->why);
}

static void ranges_that_are_not_there_are_an_error(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	model(w);
	a.layers.range = "Dragon";
	assert_false(breakdown_of(w, a));
	assert_int_equal(w->e.code, ERR_NOT_FOUND);
}

/* The note is set as if another detector had found the lag. */
static void names_that_lag_are_no_layers(void **state)
{
	struct world *w = *state;
	model(w);
	w->t.notes.count[NOTE_names_lag] = 1;
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(w->p.breakdown.detector, LAYERS_NONE);
	assert_false(w->p.breakdown.realigned);
	assert_string_equal(w->p.breakdown.why,
		"kernels' names lag behind their durations in this run, so "
		"that layers by name would be wrong; request realigning "
		"to assign each name to the duration it belongs to");
}

static void names_that_cannot_be_realigned_give_no_layers(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	model(w);
	w->t.notes.count[NOTE_names_lag] = 1;
	a.realign = true;
	assert_true(breakdown_of(w, a));
	assert_int_equal(w->p.breakdown.detector, LAYERS_NONE);
	assert_string_equal(w->p.breakdown.why,
		"kernels' names lag behind their durations in this run, and it "
		"is unknown which name belongs to which");
}

static void names_that_do_not_lag_stay(void **state)
{
	struct world *w = *state;
	struct breakdown_params a = no_params();
	model(w);
	a.realign = true;
	assert_true(breakdown_of(w, a));
	assert_int_equal(w->p.breakdown.detector, LAYERS_PERIOD);
	assert_false(w->p.breakdown.realigned);
	assert_string_equal(w->p.breakdown.why,
		"names were not realigned: they do not lag behind the durations");
}

static void a_host_alone_has_none(void **state)
{
	struct world *w = *state;
	rows_call(&w->t, "cudaMalloc", "1", 1000, 10, 1);
	assert_true(breakdown_of(w, no_params()));
	assert_int_equal(w->p.breakdown.device, -1);
	assert_int_equal(w->p.breakdown.rows_n, 0);
	assert_string_equal(w->p.breakdown.why, "nothing ran on a GPU");
}

/* The arena may be full at any step. */
static void a_full_arena_is_reported(void **state)
{
	struct world *w = *state;
	size_t ceiling = 4096, full = 0;

	model(w);
	for (bool ok = false; !ok; ceiling += 1777) {
		arena_release(&w->arena);
		w->arena = (struct arena){ .ceiling = ceiling };
		w->e = (struct err){ 0 };
		ok = breakdown_of(w, no_params());
		full += !ok;
		assert_true(ok || w->e.code == ERR_TOO_LARGE);
	}
	assert_true(full > 50);
	assert_int_equal(w->p.breakdown.layers, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(repeated_kernels_are_layers),
		WORLD_TEST(a_detector_can_be_requested),
		WORLD_TEST(layers_begin_where_somebody_says),
		WORLD_TEST(layers_alone_are_no_passes),
		WORLD_TEST(steps_of_one_layer_are_no_layers),
		WORLD_TEST(iterations_of_a_loop_are_no_layers),
		WORLD_TEST(iterations_of_a_loop_can_be_requested),
		WORLD_TEST(forward_passes_are_no_layers),
		WORLD_TEST(a_backward_pass_has_the_blocks_of_its_ranges),
		WORLD_TEST(layers_alone_begin_where_somebody_says),
		WORLD_TEST(an_unknown_range_is_an_error),
		WORLD_TEST(ranges_named_by_the_user_are_given),
		WORLD_TEST(ranges_that_are_not_there_are_an_error),
		WORLD_TEST(names_that_lag_are_no_layers),
		WORLD_TEST(names_that_cannot_be_realigned_give_no_layers),
		WORLD_TEST(names_that_do_not_lag_stay),
		WORLD_TEST(a_host_alone_has_none),
		WORLD_TEST(a_full_arena_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

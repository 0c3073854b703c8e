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

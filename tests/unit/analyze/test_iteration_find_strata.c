/* test_iteration_find_strata.c - tests how iterations that did the same work
 * are grouped into strata. */
#include "iteration_letters.h"
#include <stdio.h>

/* Adds a step with a named range: layers of a linear, an attention over a
 * given context, and a norm. Operators have dims and kernels have grids. */
static void step(struct world *w, int number, const char *name, bool ops,
	int batch, int context)
{
	int64_t at = number * 1000;
	char dims[64];

	rows_range(&w->t, RANGE_ANNOTATION, name, "main", at, 1000);
	for (int i = 0; i < 12; i++) {
		static const char *const names[] = { "aten::linear",
			"aten::bmm", "aten::mm" };
		int64_t start = at + 10 + i * 20, correlation;
		snprintf(dims, sizeof dims, "[[%d,%d],[64,64]]", batch,
			i % 3 == 1 ? context : 64);
		if (ops) {
			rows_op(&w->t, names[i % 3], "main", start, 10, -1);
			w->t.op.dims[w->t.op.n - 1] = rows_name(&w->t, dims);
		}
		correlation = w->t.kernel.n + 1;
		rows_call(&w->t, "cudaLaunchKernel", "main", start + 1, 1,
			correlation);
		rows_kernel(&w->t, names[i % 3], start + 5, 9, 0,
			batch * (i % 3 == 1 ? context : 1));
		w->t.kernel.correlation[w->t.kernel.n - 1] = correlation;
	}
}

/* In decode steps the context grows within one stratum. Another batch size is
 * another stratum. */
static void context_and_batch(struct world *w, bool ops)
{
	for (int i = 0; i < 9; i++)
		step(w, i, "step 1", ops, i < 6 ? 16 : 8, 100 + i);
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 9);
	assert_int_equal(c->strata_n, 2);
	assert_int_equal(c->strata[0].iterations, 6);
	assert_int_equal(c->strata[1].iterations, 3);
	assert_int_equal(c->iterations[5].stratum, 0);
	assert_int_equal(c->iterations[6].stratum, 1);
}

static void by_operators(void **state)
{
	struct world *w = *state;
	context_and_batch(w, true);
	const struct iterations *c = &w->p.iterations;
	assert_string_equal(c->strata[0].text,
		"aten::bmm [[16,100],[64,64]] ×4, "
		"aten::linear [[16,64],[64,64]] ×4, …");
	/* linear and mm share one shape, four times per iteration; bmm occurs
	 * six times. */
	assert_string_equal(c->works[0].name, "aten::linear");
	assert_string_equal(c->works[0].size, "[[16,64],[64,64]]");
	assert_int_equal(c->works[0].kind, WORK_OP);
	assert_true(c->works[0].per_iteration == 4);
	assert_string_equal(c->works[2].name, "aten::bmm");
	assert_string_equal(c->works[2].size, "[[16,100],[64,64]]");
	assert_true(c->works[2].per_iteration == 4 / 6.);
	assert_int_equal(c->works[8].kind, WORK_GRID);
	assert_string_equal(c->works[8].size, "16x1x1 / 128x1x1");
}

static void by_grids(void **state)
{
	struct world *w = *state;
	context_and_batch(w, false);
	assert_string_equal(w->p.iterations.strata[0].text,
		"grids of 3 kernels");
}

/* Serving engines write the work into the names of ranges. Strata are then
 * formed by this work and not by shapes. */
static void strata_by_names_of_engines(void **state)
{
	struct world *w = *state;
	for (int i = 0; i < 5; i++)
		step(w, i,
			(const char *[]){
				"execute_32_context_1(sq16sk16sqsq256sqsk256)_"
				"generation_16(sq16sk8000sqsq16sqsk8000)",
				"execute_16_context_0(sq0sk0sqsq0sqsk0)_"
				"generation_16(sq16sk8016sqsq16sqsk8016)",
				"execute_16_context_0(sq0sk0sqsq0sqsk0)_"
				"generation_16(sq16sk8032sqsq16sqsk8032)",
				"execute_8_context_0(sq0sk0sqsq0sqsk0)_"
				"generation_8(sq8sk4032sqsq8sqsk4032)",
				"execute_16_context_0(sq0sk0sqsq0sqsk0)_"
				"generation_16(sq16sk8048sqsq16sqsk8048)" }[i],
			true, 16, 100);
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 5);
	assert_int_equal(c->strata_n, 3);
	assert_string_equal(c->strata[0].text,
		"decode, 16 sequences, 16 tokens");
	assert_int_equal(c->strata[0].phase, PHASE_DECODE);
	assert_int_equal(c->strata[0].iterations, 3);
	assert_int_equal(c->strata[0].kv_tokens, 8032);
	assert_string_equal(c->strata[1].text,
		"prefill and decode, 17 sequences, 32 tokens (16 of 1 in "
		"prefill)");
	assert_int_equal(c->strata[2].sequences, 8);
}

/* There are more kinds of work than are kept apart: the rest is one stratum. */
static void too_many_strata(void **state)
{
	struct world *w = *state;
	enum { STEPS = 1100 };
	for (int i = 0; i < STEPS; i++) {
		char name[64];
		snprintf(name, sizeof name, "step[EXTEND bs=1 toks=%d]", i + 1);
		rows_range(&w->t, RANGE_ANNOTATION, name, "main", i * 10, 10);
		rows_call(&w->t, "cudaLaunchKernel", "main", i * 10 + 1, 1,
			i + 1);
		rows_launched(&w->t, "a", i * 10 + 5, 2, i + 1);
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, STEPS);
	assert_int_equal(c->strata_n, 1000);
	assert_string_equal(c->strata[0].text, "other work");
	assert_int_equal(c->strata[0].iterations, 101);
	assert_string_equal(c->strata[1].text, "prefill, 1 sequence, 1 token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(by_operators),
		WORLD_TEST(by_grids),
		WORLD_TEST(strata_by_names_of_engines),
		WORLD_TEST(too_many_strata),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

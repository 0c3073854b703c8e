/* test_iteration_find_warmup.c - tests that iterations at the beginning which
 * differ from the rest are detected. */
#include "iteration_letters.h"

/* The given number of steps of "abcdefgh"; each kernel takes ns[i]. */
static void steps(struct world *w, const int64_t *ns, int n)
{
	int64_t at_ns = 0;
	for (int i = 0; i < n; i++)
		for (const char *k = "abcdefgh"; *k; k++) {
			rows_kernel(&w->t, (char[]){ *k, 0 }, at_ns, ns[i], 0,
				1);
			at_ns += ns[i] + 2;
		}
}

static uint32_t warmup(const struct world *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->p.iterations.n; i++)
		n += w->p.iterations.iterations[i].use == ITERATION_WARMUP;
	assert_int_equal(w->p.notes.count[NOTE_iterations_warmup], n);
	return n;
}

/* Three times as slow: excluded from comparisons. */
static void three_times_slower(void **state)
{
	struct world *w = *state;
	steps(w, (int64_t[]){ 300, 101, 100, 99, 100, 101, 100, 99 }, 8);
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 8);
	assert_int_equal(c->kept_n, 7);
	assert_int_equal(c->iterations[0].use, ITERATION_WARMUP);
	assert_int_equal(warmup(w), 1);
}

/* 2.5 % slower is warm-up if the rest varies by 0.1 %; 1.5 % is not. */
static void a_little_slower(void **state)
{
	struct world *w = *state;
	steps(w, (int64_t[]){ 1030, 1001, 1000, 999, 1000, 1001, 1000, 999 },
		8);
	iterations_of(w);
	assert_int_equal(warmup(w), 1);
}

static void within_two_percent(void **state)
{
	struct world *w = *state;
	steps(w, (int64_t[]){ 1015, 1001, 1000, 999, 1000, 1001, 1000, 999 },
		8);
	iterations_of(w);
	assert_int_equal(warmup(w), 0);
}

/* Faster iterations at the beginning are not warm-up, and neither is a slow
 * iteration after a normal one. */
static void only_the_beginning(void **state)
{
	struct world *w = *state;
	steps(w, (int64_t[]){ 50, 300, 100, 99, 100, 101, 100, 99 }, 8);
	iterations_of(w);
	assert_int_equal(warmup(w), 0);
}

/* At most a quarter, rounded up: 2 of 8. */
static void a_quarter_at_most(void **state)
{
	struct world *w = *state;
	steps(w, (int64_t[]){ 300, 300, 300, 99, 100, 101, 100, 99 }, 8);
	iterations_of(w);
	assert_int_equal(warmup(w), 2);
}

/* The slow part is longer than a quarter: the first half takes 10 % longer, and
 * one step of it three times as long, as where the host stalls. Warm-up is at
 * most three of these twelve. The three that follow take as long as these, so
 * the run became faster later. */
static void slow_until_the_middle(void **state)
{
	struct world *w = *state;
	steps(w,
		(int64_t[]){ 1101, 1100, 1100, 3300, 1101, 1100, 1000, 1001,
			1000, 999, 1000, 1001 },
		12);
	const struct iterations *c = iterations_of(w);
	assert_int_equal(c->n, 12);
	assert_int_equal(warmup(w), 0);
}

/* Steps that become faster until the seventh. The first three differ from the
 * three that follow by more than these do from each other. */
static void faster_step_by_step(void **state)
{
	struct world *w = *state;
	steps(w,
		(int64_t[]){ 5000, 3000, 2000, 1060, 1050, 1040, 1000, 1001,
			1000, 999, 1000, 1001 },
		12);
	iterations_of(w);
	assert_int_equal(warmup(w), 3);
}

/* Three iterations are too few to compare with each other. */
static void too_few(void **state)
{
	struct world *w = *state;
	steps(w, (int64_t[]){ 300, 100, 100 }, 3);
	const struct iterations *c = iterations_of(w);
	assert_int_equal(c->n, 3);
	assert_int_equal(warmup(w), 0);
}

/* The first iteration takes as long as usual but launches kernels that no
 * later iteration launches: autotuning. Its grids differ; its stratum does
 * not. */
static void kernels_of_the_first_alone(void **state)
{
	struct world *w = *state;
	struct writer r = { .w = w, .grid = 4 };
	for (int step = 0; step < 8; step++) {
		kernels(&r, "abcdefghijklmnopqrst");
		if (step == 0)
			kernels(&r, "XYXY");
	}
	const struct iterations *c = iterations_of(w);
	sound(w);
	assert_int_equal(c->n, 8);
	assert_int_equal(warmup(w), 1);
	assert_int_equal(c->iterations[0].use, ITERATION_WARMUP);
	assert_int_equal(c->iterations[0].stratum, c->iterations[1].stratum);
	assert_int_equal(c->strata[0].iterations, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(three_times_slower),
		WORLD_TEST(a_little_slower),
		WORLD_TEST(within_two_percent),
		WORLD_TEST(only_the_beginning),
		WORLD_TEST(a_quarter_at_most),
		WORLD_TEST(slow_until_the_middle),
		WORLD_TEST(faster_step_by_step),
		WORLD_TEST(too_few),
		WORLD_TEST(kernels_of_the_first_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_compare_verdict.c - tests a comparison from its sides to its summary
 * sentence. */
#include "sides.h"
#include <math.h>

enum { ITERATIONS = 12 };

/* A function whose time varies by up to 2 % around `ns`, depending on the
 * run's id. */
static struct pattern *wavering(struct arena *a, struct compared_run *r,
	const char *name, int64_t ns, int64_t launches)
{
	struct pattern *p = sides_kernel(a, r, name, ns, launches);
	uint64_t seed = (uint64_t)r->id * 7919 + (uint64_t)name[0];
	for (uint32_t i = 0; i < r->patterns.iterations_n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		int64_t off = (int64_t)(seed >> 40) % 401 - 200;
		p->dur_ns[i] += ns * off / 10000;
	}
	return p;
}

/* Four repeats per side: runs prove what is slower. */
static void four_runs_a_side_prove(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[4], h[4];
	(void)state;

	for (int i = 0; i < 4; i++) {
		b[i] = sides_run(&a, i + 1, ITERATIONS);
		h[i] = sides_run(&a, i + 11, ITERATIONS);
		wavering(&a, &b[i], "gemm", 400000, 4);
		wavering(&a, &h[i], "gemm", 400000, 4);
		wavering(&a, &b[i], "norm", 100000, 4);
		wavering(&a, &h[i], "norm", 160000, 4);
	}
	sides_compare(b, 4, h, 4, &a, &c);
	const struct changed_row *r = sides_row(&c, "norm");
	assert_int_equal(r->change.is, CHANGE_REGRESSED);
	assert_int_equal(r->change.evidence, EVIDENCE_RUNS);
	assert_int_equal(sides_row(&c, "gemm")->change.is, CHANGE_UNCHANGED);
	assert_int_equal(c.count[CHANGE_REGRESSED], 1);
	assert_string_equal(c.rows[0].name, "norm");
	assert_non_null(strstr(c.headline, "norm on GPU 0 takes longer: +"));
	assert_non_null(strstr(c.headline, "by permutation of runs"));
	arena_release(&a);
}

/* Eight runs a side. "norm" takes 2 % longer, which is 0.2 % of the iteration, and
 * "tiny" is new with 0.05 % of it. */
static void small_changes_are_named(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[8], h[8];
	(void)state;

	for (int i = 0; i < 8; i++) {
		b[i] = sides_run(&a, i + 1, ITERATIONS);
		h[i] = sides_run(&a, i + 11, ITERATIONS);
		sides_kernel(&a, &b[i], "gemm", 400000, 4);
		sides_kernel(&a, &h[i], "gemm", 400000, 4);
		sides_kernel(&a, &b[i], "norm", 100000, 4);
		sides_kernel(&a, &h[i], "norm", 102000, 4);
	}
	sides_compare(b, 8, h, 8, &a, &c);
	assert_int_equal(sides_row(&c, "norm")->change.is,
		CHANGE_WITHIN_MARGIN);
	assert_int_equal(sides_row(&c, "gemm")->change.is, CHANGE_UNCHANGED);
	assert_int_equal(c.count[CHANGE_WITHIN_MARGIN], 1);
	assert_string_equal(c.rows[0].name, "norm");
	assert_non_null(strstr(c.headline,
		"no function changed by more than the margin: 1 changed within "
		"it, 1 is unchanged, 0 undecided"));
	for (int i = 0; i < 8; i++)
		sides_kernel(&a, &h[i], "tiny", 500, 1);
	sides_compare(b, 8, h, 8, &a, &c);
	assert_int_equal(sides_row(&c, "tiny")->change.is, CHANGE_APPEARED);
	assert_string_equal(c.rows[0].name, "tiny");
	assert_non_null(strstr(c.headline, "tiny on GPU 0 is new: +500 ns"));
	arena_release(&a);
}

static struct compared_run window(struct arena *a, int64_t id)
{
	struct compared_run r = sides_run(a, id, 1);
	r.iterations.detector = ITERATIONS_WINDOW;
	r.iterations.range = NULL;
	return r;
}

/* 7 of 15 launches do not change and 8 take a third of their time. The
 * launches range from 277 to 3,805 µs before and from 276 to 2,424 µs after.
 * The total falls from 30 ms to 16 ms. */
static void some_launches_that_moved_far_are_likely(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = window(&a, 1), h = window(&a, 2);
	struct pattern *p;
	(void)state;

	b.iterations.iterations[0].dur_ns = h.iterations.iterations[0].dur_ns =
		650000000;
	sides_kernel(&a, &b, "gemm", 470000000, 100);
	sides_kernel(&a, &h, "gemm", 470100000, 100);
	p = sides_kernel(&a, &b, "cat", 30000000, 15);
	p->min_ns[0] = 277000;
	p->max_ns[0] = 3805000;
	p = sides_kernel(&a, &h, "cat", 16000000, 15);
	p->min_ns[0] = 276000;
	p->max_ns[0] = 2424000;
	sides_kernel(&a, &h, "new", 124000, 4);
	sides_function(&a, &b, "cudaDeviceSynchronize", FUNCTION_sync, "Host",
		10000000, 2);
	sides_function(&a, &h, "cudaDeviceSynchronize", FUNCTION_sync, "Host",
		30000000, 2);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(sides_row(&c, "cat")->change.is, CHANGE_LIKELY);
	assert_int_equal(sides_row(&c, "cat")->change.evidence,
		EVIDENCE_LAUNCHES);
	/* 0.02 % of the window, but absent before */
	assert_int_equal(sides_row(&c, "new")->change.is, CHANGE_APPEARED);
	assert_int_equal(sides_row(&c, "cudaDeviceSynchronize")
				 ->change.evidence,
		EVIDENCE_NONE);
	assert_int_equal(c.count[CHANGE_LIKELY], 1);
	assert_string_equal(c.headline,
		"cat on GPU 0 likely takes less: -14 ms per iteration (-46.7 %), "
		"by "
		"its launches; 2 functions changed in all");
	arena_release(&a);
}

/* The data of one rank cannot show how a collective divides into transfer and
 * waiting. The head has no data on the device of the other rank. */
static void waiting_is_no_cause(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, ITERATIONS),
			    h = sides_run(&a, 2, ITERATIONS);
	(void)state;

	b.world_size = h.world_size = 4;
	b.rank = 0;
	h.rank = 1;
	wavering(&a, &b, "gemm", 400000, 4);
	wavering(&a, &h, "gemm", 400000, 4);
	sides_function(&a, &b, "nccl", FUNCTION_gpu_comm, "GPU 0", 100000, 1);
	sides_function(&a, &h, "nccl", FUNCTION_gpu_comm, "GPU 0", 500000, 1);
	sides_function(&a, &h, "gemm", FUNCTION_gpu_compute, "GPU 1", 300000,
		4);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(sides_row(&c, "nccl")->change.evidence, EVIDENCE_NONE);
	for (uint32_t i = 0; i < c.rows_n; i++)
		assert_true(c.rows[i].change.is >= CHANGE_UNDECIDED);
	arena_release(&a);
}

/* The same kernels, no longer adjacent. */
static void only_a_part_changed(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run r[2] = { sides_run(&a, 1, ITERATIONS),
		sides_run(&a, 2, ITERATIONS) };
	(void)state;

	for (int s = 0; s < 2; s++) {
		wavering(&a, &r[s], "gemm", 400000, 4);
		wavering(&a, &r[s], "norm", 300000, 4);
		for (uint32_t i = 0; i < ITERATIONS; i++) {
			struct iteration *y = &r[s].iterations.iterations[i];
			y->compute_ns = s ? 700000 : 400000;
			y->comm_ns = y->copy_ns = y->idle_ns = 0;
			y->compute_ns += i % 3 * 100;
			y->dur_ns = y->compute_ns;
		}
	}
	sides_compare(&r[0], 1, &r[1], 1, &a, &c);
	assert_string_equal(c.headline,
		"the iteration takes 400.1 µs in the base, 700.1 µs in the "
		"head (+75.0 %, 95 % interval +58.8 % to +91.2 %); no function "
		"alone is shown to have changed, but more time is spent in "
		"kernels that compute: +300 µs per iteration (+75.0 %), by "
		"permutation of iterations");
	arena_release(&a);
}

static void windows_of_other_lengths_are_put_to_one(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = window(&a, 1), h = window(&a, 2);
	(void)state;

	sides_kernel(&a, &b, "gemm", 400000, 400);
	sides_kernel(&a, &h, "gemm", 500000, 500);
	sides_kernel(&a, &b, "norm", 100000, 800);
	sides_kernel(&a, &h, "norm", 125000, 1000);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(fabs(sides_row(&c, "gemm")->change.delta_ns) < 1e-6);
	assert_string_equal(sides_finding(&c, FINDING_window_scaled),
		"the recordings differ in length: the head has 1.25 times as "
		"many launches of nearly every kernel; its times and counts "
		"are scaled to the work of the other side");
	assert_true(fabs(sides_row(&c, "gemm")->head_launches - 400) < 1e-9);
	assert_int_equal(c.count[CHANGE_UNCHANGED] + c.count[CHANGE_UNDECIDED],
		c.rows_n);
	arena_release(&a);
}

static void devices(struct arena *a, struct compared_run *r, int first)
{
	static const char *const names[] = { "GPU 0", "GPU 1" };
	for (int i = 0; i < 2; i++) {
		const char *on = names[i ^ first];
		sides_function(a, r, i ? "decode" : "embed",
			FUNCTION_gpu_compute, on, i ? 400000 : 100000, 2);
		sides_function(a, r, "nccl", FUNCTION_gpu_comm, on,
			i ? 50000 : 350000, 2);
	}
}

/* GPU 1 now does the work of GPU 0. No function changed, and the collective
 * takes as long as on the rank that finished first. */
static void a_swapped_device_is_no_change(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, ITERATIONS),
			    h = sides_run(&a, 2, ITERATIONS);
	(void)state;

	devices(&a, &b, 0);
	devices(&a, &h, 1);
	/* The place that is GPU 0 in the base. */
	sides_function(&a, &h, "fresh", FUNCTION_gpu_compute, "GPU 1", 200, 1);
	sides_function(&a, &b, "gone", FUNCTION_gpu_compute, "GPU 0", 200, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.rows_n, 5);
	for (uint32_t i = 0; i < c.rows_n; i++)
		assert_true(fabs(c.rows[i].change.delta_ns) <= 200);
	/* A function of one side is on the device of that side. */
	assert_string_equal(sides_row(&c, "fresh")->device, "GPU 1");
	assert_string_equal(sides_row(&c, "fresh")->head_device, "GPU 1");
	assert_string_equal(sides_row(&c, "gone")->device, "GPU 0");
	assert_string_equal(sides_row(&c, "gone")->head_device, "GPU 0");
	assert_string_equal(sides_row(&c, "embed")->device, "GPU 0");
	assert_string_equal(sides_row(&c, "embed")->head_device, "GPU 1");
	assert_string_equal(sides_row(&c, "nccl")->device,
		"the first done of 2");
	assert_true(sides_row(&c, "nccl")->change.base_ns == 50000);
	assert_string_equal(sides_finding(&c, FINDING_device_swapped),
		"devices were matched by what they do: GPU 1 of run 2 is "
		"matched as GPU 0, GPU 0 of run 2 is matched as GPU 1");
	arena_release(&a);
}

static void a_rank_given_twice_is_reported(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[2], h[2];
	(void)state;

	for (int i = 0; i < 2; i++) {
		b[i] = sides_run(&a, i + 1, ITERATIONS);
		h[i] = sides_run(&a, i + 3, ITERATIONS);
		b[i].job = 7;
		h[i].job = 8;
		b[i].rank = h[i].rank = 0;
		sides_kernel(&a, &b[i], "gemm", 400000, 2);
		sides_kernel(&a, &h[i], "gemm", 400000, 2);
	}
	sides_compare(b, 2, h, 2, &a, &c);
	assert_string_equal(sides_finding(&c, FINDING_rank_twice),
		"job 7 holds rank 0 2 times, job 8 holds rank 0 2 times; each "
		"was taken as a rank of its own");
	assert_int_equal(c.base.units, 1);
	assert_int_equal(c.base.iterations_used, ITERATIONS);
	assert_int_equal(c.rows_n, 2);
	arena_release(&a);
}

static void series_are_the_iterations_compared(void **state)
{
	struct arena a = { 0 };
	struct compare_series s[2];
	struct err e = { 0 };
	struct compared_run b = sides_run(&a, 1, 3), h = sides_run(&a, 2, 2);
	struct compare_function wants = { .name = "gemm",
		.group = COMPARE_LARGEST };
	(void)state;

	sides_kernel(&a, &b, "gemm", 400000, 2);
	sides_kernel(&a, &h, "gemm", 500000, 4);
	b.iterations.iterations[0].use = ITERATION_WARMUP;
	wants.device = "GPU 0";
	assert_true(compare_series_from(&b, 1, &h, 1, &wants, &a, s, &e));
	assert_int_equal(s[0].n, 2);
	assert_int_equal(s[0].numbers[0], 1);
	assert_true(s[0].ns[1] == 400000 && s[1].ns[1] == 500000);
	assert_true(s[0].launches[0] == 2 && s[1].beta_pct[0] == 50);
	assert_int_equal(s[1].runs[1], 2);
	wants.device = "GPU 9";
	assert_false(compare_series_from(&b, 1, &h, 1, &wants, &a, s, &e));
	assert_string_equal(e.text,
		"neither side has this function on 'GPU 9'");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_runs_a_side_prove),
		cmocka_unit_test(small_changes_are_named),
		cmocka_unit_test(some_launches_that_moved_far_are_likely),
		cmocka_unit_test(waiting_is_no_cause),
		cmocka_unit_test(only_a_part_changed),
		cmocka_unit_test(windows_of_other_lengths_are_put_to_one),
		cmocka_unit_test(a_swapped_device_is_no_change),
		cmocka_unit_test(a_rank_given_twice_is_reported),
		cmocka_unit_test(series_are_the_iterations_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_busy_classes.c - traces with planted classes of busy time, and random
 * traces compared with a class for every nanosecond. */
#include "attribute_world.h"
#include "attribution.h"
#include "busy_classes.h"
#include "iteration_rows.h"
#include "profile_word.h"
#include <stdio.h>
#include <stdlib.h>

#define COLLECTIVE "ncclDevKernel_AllReduce_Sum_f16_RING_LL"

/* Its launch floor is 2,000 ns. */
static void on_h100(struct world *w)
{
	static struct device d;

	d = (struct device){ .process = -1,
		.name = rows_name(&w->t, "NVIDIA H100 80GB HBM3"),
		.sm_count = -1,
		.compute_major = -1,
		.compute_minor = -1,
		.memory_bytes = -1 };
	w->t.devices = &d;
	w->t.devices_n = 1;
}

/* A GEMM of n * n * n in fp16 at a moment of the host, which launches kernels
 * at 100,000 ns after their calls. */
static void gemm(struct world *w, int n, int64_t at_ns, int64_t dur_ns)
{
	char dims[60];

	snprintf(dims, sizeof dims, "[[%d,%d],[%d,%d]]", n, n, n, n);
	op(w, "aten::mm", dims, "[\"c10::Half\",\"c10::Half\"]", at_ns, 50);
	launch(w, "whatever", at_ns + 10, dur_ns);
}

/* The classes with time, as "no_bound 10, copies 3". */
static void classes_are(const struct world *w, const char *want)
{
	const struct busy_times *b = &w->p.busy;
	char got[400] = "";

	for (int c = 0; c < BUSY_CLASSES; c++)
		if (b->time_ns[c])
			sprintf(got + strlen(got), "%s%s %lld",
				*got ? ", " : "", profile_word_busy[c],
				(long long)b->time_ns[c]);
	assert_string_equal(got, want);
}

/* W = 2 * 8192^3 takes 1,111,291 ns at 989.4 TFLOP/s. */
static void a_large_gemm_is_compute_bound(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 8192, 1000, 2000000);
	analyse(w);
	classes_are(w, "compute_bound 2000000");
}

/* Q = 6 * 256^2 takes 117 ns at 3.35 TB/s; W takes 34 ns. */
static void a_small_gemm_is_memory_bound(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 256, 1000, 2001);
	analyse(w);
	classes_are(w, "memory_bound 2001");
}

static void a_call_as_long_as_the_launch_floor(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 256, 1000, 2000);
	analyse(w);
	classes_are(w, "launch_floor 2000");
}

/* Each kernel is below the floor, their call is not. */
static void two_short_kernels_of_one_call(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 256, 1000, 1500);
	launch(w, "another", 1040, 1500);
	analyse(w);
	assert_int_equal(w->p.operators.shapes[0].call.instances, 1);
	/* [101010, 102510) and [101040, 102540) */
	classes_are(w, "memory_bound 1530");
	assert_int_equal(w->p.busy.mixed_ns, 0);
}

/* Of an operator that is not known, only the long kernel has no bound. */
static void a_kernel_without_an_operator(void **state)
{
	struct world *w = *state;
	on_h100(w);
	launch(w, "whatever", 1000, 5000);
	launch(w, "whatever", 7000, 2000);
	analyse(w);
	classes_are(w, "no_bound 5000, launch_floor 2000");
}

/* The bound is 1,111,291 ns, so the cost or the shape is wrong. */
static void a_call_shorter_than_its_bound(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 8192, 1000, 5000);
	analyse(w);
	assert_int_equal(w->p.operators.shapes[0].clock_leg, LEG_COMPUTE);
	classes_are(w, "no_bound 5000");
}

static void an_unknown_platform_has_no_floor(void **state)
{
	struct world *w = *state;
	gemm(w, 8192, 1000, 2000000);
	launch(w, "whatever", 3000000, 5);
	analyse(w);
	classes_are(w, "no_bound 2000005");
}

/* A graph replay of one record, as short as the floor, has kernels that are not
 * known. */
static void an_opaque_graph_has_no_bound(void **state)
{
	struct world *w = *state;
	on_h100(w);
	rows_graph(&w->t, 1, 1, 100000, 1000, 0);
	analyse(w);
	classes_are(w, "no_bound 1000");
}

/* By the data sheet, Q = 6 * 800^2 takes 1,146 ns and W takes 1,035 ns. At half
 * of the clock that the peak assumes, W takes 2,070 ns. */
static void the_bound_is_at_the_recorded_clock(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 800, 1000, 2000000);
	for (int i = 0; i < 10; i++)
		trace_counter_add(&w->t,
			&(struct counter_row){ .start_ns = 200000 + i * 100000,
				.name = rows_name(&w->t, "gpu_sm_frequency"),
				.value = 915 });
	analyse(w);
	assert_int_equal(w->p.operators.shapes[0].leg, LEG_MEMORY);
	classes_are(w, "compute_bound 2000000");
}

/* The GEMM runs in [101010, 151010). The collective [141000, 171000) overlaps
 * with its last 10,010, the copy [161000, 181000) with the collective. */
static void kernels_before_collectives_before_copies(void **state)
{
	struct world *w = *state;
	on_h100(w);
	gemm(w, 256, 1000, 50000);
	rows_launched(&w->t, COLLECTIVE, 141000, 30000, -1);
	rows_copy(&w->t, "Memcpy HtoD (Pinned -> Device)", 161000, 20000, 0, 8,
		false);
	analyse(w);
	classes_are(w, "memory_bound 50000, exposed_communication 19990, "
		       "copies 10000");
	assert_int_equal(w->p.busy.comm_overlapped_ns, 10010);
	assert_int_equal(w->p.busy.mixed_ns, 0);
}

/* Compute-bound [1101010, 3101010), memory-bound [3001010, 3151010), unknown
 * [3141000, 3191000) and short [3190000, 3192000): 100,000 + 10,010 + 1,000 are
 * of two classes. The copy is beside them all. */
static void the_order_of_the_classes_of_kernels(void **state)
{
	struct world *w = *state;
	on_h100(w);
	rows_copy(&w->t, "Memset (Device)", 1000000, 3000000, 0, 8, true);
	gemm(w, 8192, 1001000, 2000000);
	gemm(w, 256, 2901000, 150000);
	launch(w, "whatever", 3041000, 50000);
	launch(w, "whatever", 3090000, 2000);
	analyse(w);
	classes_are(w, "compute_bound 2000000, memory_bound 50000, "
		       "no_bound 39990, launch_floor 1000, copies 909010");
	assert_int_equal(w->p.busy.mixed_ns, 100000 + 10010 + 1000);
}

static void a_trace_without_records_has_no_classes(void **state)
{
	struct world *w = *state;
	op(w, "aten::mm", "", "", 1000, 50);
	analyse(w);
	assert_null(w->p.busy.iteration_ns[0]);
	classes_are(w, "");
}

/* Finds the classes of the given iterations, with given classes of kernels. */
static void find(struct world *w, struct given *g, uint8_t *of)
{
	given_rows(w, g);
	given_patterns(w, g);
	assert_true(busy_classes_from(&(struct attribution){ .trace = &w->t,
		.proc = &w->process,
		.profile = &w->p,
		.kernel_of = g->kernel_of,
		.busy_of = of }));
}

/* A kernel and a copy reach into two iterations, and time between iterations is
 * of none. Totals contain the kept iterations only. */
static void only_kept_iterations_are_in_the_totals(void **state)
{
	struct world *w = *state;
	static struct given g;
	uint8_t of[] = { BUSY_COMPUTE_BOUND, BUSY_MEMORY_BOUND };
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 0, 150, 0, 1);
	rows_kernel(&w->t, "b", 140, 20, 0, 1);
	rows_copy(&w->t, "Memset (Device)", 150, 100, 0, 8, true);
	given_iteration(w, &g, 0, 100);
	given_iteration(w, &g, 120, 0);
	given_iteration(w, &g, 120, 50);
	given_iteration(w, &g, 200, 300);
	g.iterations[0].use = ITERATION_WARMUP;
	find(w, &g, of);
	const struct busy_times *b = &w->p.busy;
	assert_int_equal(b->iteration_ns[BUSY_COMPUTE_BOUND][0], 100);
	assert_int_equal(b->iteration_ns[BUSY_COMPUTE_BOUND][1], 0);
	assert_int_equal(b->iteration_ns[BUSY_COMPUTE_BOUND][2], 30);
	assert_int_equal(b->iteration_ns[BUSY_MEMORY_BOUND][2], 10);
	assert_int_equal(b->iteration_ns[BUSY_COPY][2], 10);
	assert_int_equal(b->iteration_ns[BUSY_COPY][3], 50);
	classes_are(w, "compute_bound 30, memory_bound 10, copies 60");
	assert_int_equal(b->mixed_ns, 10);
}

enum { SPAN = 400 };

/* By nanosecond: a bit for each class that runs. */
static uint32_t running[SPAN * 2];
static uint8_t class_of[256];

static void random_record(struct world *w, int64_t at, int64_t dur)
{
	int32_t device = rand() % 2;
	int class = rand() % BUSY_CLASSES;

	if (class == BUSY_COPY)
		rows_copy(&w->t, "Memset (Device)", at, dur, device, 8, true);
	else if (class == BUSY_NO_BOUND && rand() % 2)
		rows_graph(&w->t, 1, 1, at, dur, device);
	else {
		/* The class of a collective is not read. */
		bool comm = class == BUSY_EXPOSED_COMM;
		class_of[w->t.kernel.n] = (uint8_t)(comm ? rand() % 4 : class);
		rows_kernel(&w->t, comm ? COLLECTIVE : "a", at, dur, device, 1);
	}
	for (int64_t i = at; i < at + dur; i++)
		running[i] |= 1U << class;
}

static void random_world(struct world *w, struct given *g)
{
	memset(running, 0, sizeof running);
	rows_copy(&w->t, "Memset (Device)", 0, 0, 0, 8, true);
	for (int64_t at = 0; at < SPAN; at += rand() % 12)
		random_record(w, at, rand() % 4 ? rand() % 20 : 0);
	for (int64_t at = rand() % 50; at < SPAN && w->p.iterations.n < 60;) {
		int64_t dur = rand() % 60;
		given_iteration(w, g, at, dur);
		if (rand() % 4 == 0)
			g->iterations[w->p.iterations.n - 1].use =
				ITERATION_WARMUP;
		at += dur + (rand() % 2 ? 0 : rand() % 9);
	}
}

/* What busy_times has for all iterations, counted by nanosecond. */
struct counted {
	int64_t time_ns[BUSY_CLASSES], overlapped_ns, mixed_ns;
};

static void count(struct counted *to, uint32_t is)
{
	uint32_t kernels = is & 0xF, comm = 1U << BUSY_EXPOSED_COMM;

	for (int c = 0; c < BUSY_CLASSES; c++)
		if (is >> c & 1) {
			to->time_ns[c]++;
			break;
		}
	to->overlapped_ns += kernels && (is & comm);
	to->mixed_ns += (kernels & (kernels - 1)) != 0;
}

static void each_nanosecond_has_the_first_class_that_runs(void **state)
{
	struct world *w = *state;
	static struct given g;
	srand(8);
	for (int round = 0; round < 500; round++) {
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		g = (struct given){ 0 };
		random_world(w, &g);
		find(w, &g, class_of);
		const struct busy_times *b = &w->p.busy;
		struct counted kept = { 0 };
		for (uint32_t i = 0; i < w->p.iterations.n; i++) {
			const struct iteration *c = &g.iterations[i];
			struct counted one = { 0 };
			for (int64_t k = 0; k < c->dur_ns; k++) {
				uint32_t is = running[c->start_ns + k];
				count(&one, is);
				if (c->use == ITERATION_KEPT)
					count(&kept, is);
			}
			for (int k = 0; k < BUSY_CLASSES; k++)
				assert_int_equal(b->iteration_ns[k][i],
					one.time_ns[k]);
			assert_int_equal(c->comm_overlapped_ns,
				one.overlapped_ns);
		}
		assert_memory_equal(b->time_ns, kept.time_ns,
			sizeof kept.time_ns);
		assert_int_equal(b->comm_overlapped_ns, kept.overlapped_ns);
		assert_int_equal(b->mixed_ns, kept.mixed_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_large_gemm_is_compute_bound),
		WORLD_TEST(a_small_gemm_is_memory_bound),
		WORLD_TEST(a_call_as_long_as_the_launch_floor),
		WORLD_TEST(two_short_kernels_of_one_call),
		WORLD_TEST(a_kernel_without_an_operator),
		WORLD_TEST(a_call_shorter_than_its_bound),
		WORLD_TEST(an_unknown_platform_has_no_floor),
		WORLD_TEST(an_opaque_graph_has_no_bound),
		WORLD_TEST(the_bound_is_at_the_recorded_clock),
		WORLD_TEST(kernels_before_collectives_before_copies),
		WORLD_TEST(the_order_of_the_classes_of_kernels),
		WORLD_TEST(a_trace_without_records_has_no_classes),
		WORLD_TEST(only_kept_iterations_are_in_the_totals),
		WORLD_TEST(each_nanosecond_has_the_first_class_that_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

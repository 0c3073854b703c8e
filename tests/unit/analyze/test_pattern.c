/* test_pattern.c - tests the time per function, device and iteration, and
 * single collectives. Numbers are worked out by hand or by a search through
 * all rows. */
#include "collective_calls.h"
#include "iteration_rows.h"
#include <stdlib.h>
#include <string.h>

#define COLLECTIVE "ncclDevKernel_AllReduce_Sum_f16_RING_LL"

static void cell_is(const struct pattern *f, uint32_t at, int64_t dur,
	int64_t launches, int64_t min, int64_t max)
{
	assert_int_equal(f->dur_ns[at], dur);
	assert_int_equal(f->launches[at], launches);
	assert_int_equal(f->min_ns[at], min);
	assert_int_equal(f->max_ns[at], max);
}

static void kinds_fill(struct world *w)
{
	struct trace *t = &w->t;
	rows_kernel(t, "a", 0, 10, 0, 1);
	rows_kernel(t, "a", 10, 4, 0, 1);
	rows_kernel(t, "a", 20, 3, 1, 1);
	rows_kernel(t, COLLECTIVE, 30, 7, 0, 1);
	rows_kernel(t, "a", 110, 5, 0, 1);
	rows_copy(t, "Memcpy HtoD (Pageable -> Device)", 40, 2, 0, 8, false);
	rows_copy(t, "CopyDeviceToHost", 41, 2, 0, 8, false);
	rows_copy(t, "Memcpy PtoP (Device -> Device)", 42, 2, 0, 8, false);
	rows_copy(t, "Memcpy HtoH (Pageable -> Pinned)", 43, 2, 0, 8, false);
	rows_copy(t, "Memcpy", 44, 2, 0, 8, false);
	rows_copy(t, "Memset (Device)", 45, 2, -1, 8, true);
	rows_copy(t, "", 46, 1, 0, 8, false);
	rows_graph(t, 4, 4, 50, 6, 0);
	rows_call(t, "cudaStreamSynchronize", "1", 60, 9, 1);
	rows_call(t, "cudaStreamSynchronize_ptsz_v7000", "2", 61, 1, 1);
	rows_call(t, "cudaStreamWaitEvent", "2", 62, 1, 1);
	/* begins in the first window, ends in the second */
	rows_call(t, "hipDeviceSynchronize", "1", 99, 50, 1);
	/* between the windows, and after the last */
	rows_call(t, "cudaStreamSynchronize", "1", 100, 5, 1);
	rows_call(t, "cudaStreamSynchronize", "1", 300, 5, 1);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *name, *device;
		enum function_type type;
		int32_t number;
		int64_t dur;
	} rows[] = {
		{ "a", "GPU 0", FUNCTION_gpu_compute, 0, 14 },
		{ "a", "GPU 1", FUNCTION_gpu_compute, 1, 3 },
		{ COLLECTIVE, "GPU 0", FUNCTION_gpu_comm, 0, 7 },
		{ "Memcpy HtoD (Pageable -> Device)", "GPU 0",
			FUNCTION_memcpy_h2d, 0, 2 },
		{ "CopyDeviceToHost", "GPU 0", FUNCTION_memcpy_d2h, 0, 2 },
		{ "Memcpy PtoP (Device -> Device)", "GPU 0",
			FUNCTION_memcpy_d2d, 0, 2 },
		{ "Memcpy HtoH (Pageable -> Pinned)", "GPU 0",
			FUNCTION_other_device, 0, 2 },
		{ "Memcpy", "GPU 0", FUNCTION_other_device, 0, 2 },
		{ "Memset (Device)", "GPU", FUNCTION_memset_device, -1, 2 },
		{ "(unnamed)", "GPU 0", FUNCTION_other_device, 0, 1 },
		{ "CUDA graph", "GPU 0", FUNCTION_gpu_graph, 0, 6 },
		{ "cudaStreamSynchronize", "Host", FUNCTION_sync, -1, 10 },
		{ "hipDeviceSynchronize", "Host", FUNCTION_sync, -1, 50 },
	};
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	kinds_fill(w);
	given_iteration(w, &g, 0, 100);
	given_iteration(w, &g, 110, 100);
	given_rows(w, &g);
	given_patterns(w, &g);
	assert_int_equal(w->p.patterns.n, sizeof rows / sizeof *rows);
	assert_int_equal(w->p.patterns.iterations_n, 2);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct pattern *f =
			given_find(w, rows[i].name, rows[i].device);
		assert_non_null(f);
		assert_int_equal(f->type, rows[i].type);
		assert_int_equal(f->number, rows[i].number);
		assert_int_equal(f->dur_ns[0], rows[i].dur);
		assert_null(f->beta_pct);
	}
	cell_is(given_find(w, "a", "GPU 0"), 0, 14, 2, 4, 10);
	cell_is(given_find(w, "a", "GPU 0"), 1, 5, 1, 5, 5);
	cell_is(given_find(w, "a", "GPU 1"), 1, 0, 0, -1, -1);
	cell_is(given_find(w, "cudaStreamSynchronize", "Host"), 0, 10, 2, 1, 9);
	/* by descending time, then name, then device */
	assert_string_equal(w->p.patterns.rows[0].name, "hipDeviceSynchronize");
	assert_string_equal(w->p.patterns.rows[1].name, "a");
	assert_string_equal(w->p.patterns.rows[6].name, "CopyDeviceToHost");
	assert_string_equal(w->p.patterns.rows[7].name, "Memcpy");
}

/* A function that runs in no iteration has no row. Without iterations there
 * are no rows. */
static void test_outside(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 0, 10, 0, 1);
	rows_kernel(&w->t, "b", 10, 10, 0, 1);
	given_iteration(w, &g, 10, 10);
	given_rows(w, &g);
	given_patterns(w, &g);
	assert_int_equal(w->p.patterns.n, 1);
	assert_string_equal(w->p.patterns.rows[0].name, "b");
	w->p.iterations.n = 0;
	g.kernel[1] = ITERATION_NONE;
	given_patterns(w, &g);
	assert_int_equal(w->p.patterns.n, 0);
	assert_int_equal(w->p.patterns.iterations_n, 0);
}

static void search(const struct world *w, const struct given *g,
	const struct pattern *f, uint32_t iteration, int64_t want[4])
{
	const struct kernel_rows *k = &w->t.kernel;
	want[0] = want[1] = 0;
	want[2] = want[3] = -1;
	for (uint32_t i = 0; i < k->n; i++) {
		const char *name = names_text(&w->t.names, k->name[i]);
		int64_t dur = k->dur_ns[i];
		if (strcmp(name, f->name) != 0 || k->device[i] != f->number ||
			g->kernel[i] != iteration)
			continue;
		want[2] = want[1] == 0 || dur < want[2] ? dur : want[2];
		want[3] = dur > want[3] ? dur : want[3];
		want[0] += dur;
		want[1]++;
	}
}

/* The process of a kernel is independent of the position of its row. */
static void test_each_row(void **state)
{
	static const char *const names[] = { "a", "b", "c", COLLECTIVE };
	struct world *w = *state;
	static struct given g;
	srand(5);
	for (int round = 0; round < 300; round++) {
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		g = (struct given){ 0 };
		int n = 1 + rand() % 100;
		for (int i = 0; i < n; i++)
			rows_kernel(&w->t, names[rand() % 4], i, rand() % 9,
				rand() % 3, 1);
		for (int i = 0, iterations = 1 + rand() % 9; i < iterations;
			i++)
			given_iteration(w, &g, i * 10, 10);
		given_rows(w, &g);
		for (int i = 0; i < n; i++)
			g.kernel[i] = rand() % 4 ? (uint32_t)rand() %
							   w->p.iterations.n
						 : ITERATION_NONE;
		given_patterns(w, &g);
		int64_t launches = 0, kept = 0;
		for (uint32_t i = 0; i < w->p.patterns.n; i++)
			for (uint32_t c = 0; c < w->p.iterations.n; c++) {
				const struct pattern *f =
					&w->p.patterns.rows[i];
				int64_t want[4];
				search(w, &g, f, c, want);
				cell_is(f, c, want[0], want[1], want[2],
					want[3]);
				launches += f->launches[c];
			}
		for (int i = 0; i < n; i++)
			kept += g.kernel[i] != ITERATION_NONE;
		assert_int_equal(launches, kept);
	}
}

/* Collectives of one name on two streams of two devices. Times count from the
 * first record of the run, at 5. Iterations are not needed. */
static void test_collectives(void **state)
{
	struct world *w = *state;
	static struct given g;
	static const struct kernel_row rows[] = {
		{ .start_ns = 5, .dur_ns = 1, .device = 0, .stream = 7 },
		{ .start_ns = 6, .dur_ns = 2, .device = 1, .stream = 7 },
		{ .start_ns = 7, .dur_ns = 3, .device = 0, .stream = 8 },
		{ .start_ns = 9, .dur_ns = 4, .device = 0, .stream = 7 },
	};
	g = (struct given){ 0 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kernel_row row = rows[i];
		row.name = rows_name(&w->t, COLLECTIVE);
		trace_kernel_add(&w->t, &row);
	}
	rows_kernel(&w->t, "a", 10, 1, 0, 1);
	rows_kernel(&w->t, "ncclDevKernel_AllGather_RING_LL", 11, 1, 0, 1);
	given_rows(w, &g);
	static uint32_t no_calls[16];
	struct collective_calls calls;
	memset(no_calls, 0xFF, sizeof no_calls);
	assert_true(collective_calls_from(&w->t, &w->process, g.kernel_of,
		no_calls, &w->p, &calls));
	assert_true(collectives_from(&w->t, &w->process, g.kernel_of, &calls,
		&w->p));
	const struct collectives *c = &w->p.collectives;
	assert_int_equal(c->n, 4);
	assert_int_equal(c->rows[0].n, 2);
	assert_string_equal(c->rows[0].name, COLLECTIVE);
	assert_true(c->rows[0].start_ns[0] == 0 && c->rows[0].dur_ns[0] == 1);
	assert_true(c->rows[0].start_ns[1] == 4 && c->rows[0].dur_ns[1] == 4);
	assert_true(c->rows[1].device == 1 && c->rows[1].stream == 7);
	assert_true(c->rows[2].device == 0 && c->rows[2].stream == 8);
	assert_true(c->rows[2].start_ns[0] == 2 && c->rows[2].dur_ns[0] == 3);
	assert_string_equal(c->rows[3].name, "ncclDevKernel_AllGather_RING_LL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_kinds),
		WORLD_TEST(test_outside),
		WORLD_TEST(test_each_row),
		WORLD_TEST(test_collectives),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_pattern_import.c - tests that imported patterns have the values of
 * their table. */
#include "catalog.h"
#include "iteration_rows.h"
#include "pattern_import.h"
#include <math.h>

#define ABSENT METRIC_NO_ROW

struct line {
	int64_t iteration;
	const char *function, *device, *type, *metric;
	int64_t instances, dur_ns;
	double beta, mu, sigma;
	uint8_t interpolated;
	const char *anchor;
};

static void tell(struct world *w, const struct line *l, size_t n)
{
	static struct iteration iterations[2] = { { .number = 4 },
		{ .number = 2 } };

	for (size_t i = 0; i < n; i++, l++)
		trace_pattern_add(&w->t,
			&(struct pattern_row){ .row = (int64_t)i,
				.iteration = l->iteration,
				.name = rows_name(&w->t, l->function),
				.device = rows_name(&w->t, l->device),
				.func_type = rows_name(&w->t, l->type),
				.metric = rows_name(&w->t, l->metric),
				.anchor = rows_name(&w->t,
					l->anchor ? l->anchor : ""),
				.instances = l->instances,
				.dur_ns = l->dur_ns,
				.beta_pct = l->beta,
				.mu_pct = l->mu,
				.sigma_pct = l->sigma,
				.interpolated = l->interpolated });
	rows_done(&w->t, &w->process);
	w->process.pattern = (struct slice){ 0, w->t.pattern.n };
	w->p.arena = &w->arena;
	w->p.iterations = (struct iterations){ .detector = ITERATIONS_GIVEN,
		.iterations = iterations,
		.n = 2,
		.kept_n = 2 };
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	assert_non_null(c);
	assert_true(pattern_import(&w->t, &w->process, c, &w->p));
	catalog_free(c);
}
#define TELL(w, lines) tell(w, lines, sizeof(lines) / sizeof *(lines))

/* The order is that of the iterations (4, then 2) and not that of the rows. A
 * row without a metric has only the time. A row whose mean is missing is kept.
 * If a function has no row in an iteration, it has no value there. Kernel
 * names are demangled, other names are not. */
static void test_rows_as_written(void **state)
{
	static const struct line lines[] = {
		{ 2, "_Z1fi", "GPU 7", "gpu_compute", "usage", 3, 90, 9.5, 50,
			0.5, 2, NULL },
		{ 2, "_Z1fi", "GPU 7", "gpu_compute", "clock", 3, 90, 9.5, NAN,
			NAN, 1, NULL },
		{ 4, "_Z1fi", "GPU 7", "gpu_compute", "", 1, 20, NAN, NAN, NAN,
			0, NULL },
		{ 4, "oncpu", "Host", "oncpu", "cpu", 9, 150, 156.8, 5, 0.25, 1,
			NULL },
		{ 4, "_Z1fi", "Host", "oncpu", "", 1, 5, 1, NAN, NAN, 0, NULL },
	};
	struct world *w = *state;
	TELL(w, lines);
	const struct patterns *to = &w->p.patterns;
	assert_int_equal(to->iterations_n, 2);
	assert_int_equal(to->n, 3);
	assert_int_equal(to->metrics_n, 3);
	const struct pattern *cpu = &to->rows[0], *f = &to->rows[1];
	assert_string_equal(cpu->name, "oncpu");
	assert_true(cpu->type == FUNCTION_oncpu && cpu->number == -1);
	assert_true(cpu->beta_pct[0] == 156.8 && isnan(cpu->beta_pct[1]));
	assert_true(cpu->dur_ns[0] == 150 && cpu->launches[0] == 9);
	assert_true(cpu->launches[1] == 0 && cpu->min_ns[0] == -1);
	assert_string_equal(f->name, "f(int)");
	assert_string_equal(f->device, "GPU 7");
	assert_true(f->type == FUNCTION_gpu_compute && f->number == 7);
	assert_true(f->dur_ns[0] == 20 && f->dur_ns[1] == 90);
	assert_true(isnan(f->beta_pct[0]) && f->beta_pct[1] == 9.5);
	assert_string_equal(to->rows[2].name, "_Z1fi");
	assert_string_equal(to->metrics[0].name, "cpu");
	const struct pattern_metric *clock = &to->metrics[1];
	assert_true(clock->pattern == 1);
	assert_string_equal(clock->name, "clock");
	assert_true(isnan(clock->mu[1]) && clock->interpolated[1] == 1);
	assert_int_equal(clock->interpolated[0], ABSENT);
	const struct pattern_metric *usage = &to->metrics[2];
	assert_true(usage->mu[1] == 50 && usage->sigma[1] == 0.5);
	assert_true(usage->interpolated[1] == 2 && isnan(usage->mu[0]));
}

/* A table calls collectives other than NCCL's compute, or by a word of its
 * own. Kernels that only resemble one keep their type, as do copies and what the
 * host does. */
static void collectives_of_the_catalog_are_collectives(void **state)
{
	static const struct {
		const char *name, *device, *word;
		enum function_type type;
	} cases[] = {
		{ "cross_device_reduce_1stage", "GPU 0", "gpu_compute",
			FUNCTION_gpu_comm },
		{ "void vllm::cross_device_reduce_2stage<__half, 8>(int)",
			"GPU 0", "gpu_compute", FUNCTION_gpu_comm },
		{ "void dpsk::ep::intranode::dispatch<8>(int*)", "GPU 0",
			"gpu_compute", FUNCTION_gpu_comm },
		{ "void deep_ep::internode::combine<8>(int*)", "GPU 0",
			"gpu_compute", FUNCTION_gpu_comm },
		{ "nvshmemi_barrier_all_kernel", "GPU 0", "gpu_compute",
			FUNCTION_gpu_comm },
		{ "mscclKernel_Sum_float_Simple", "GPU 0", "gpu_compute",
			FUNCTION_gpu_comm },
		{ "mscclpp::allreduce6<float>(float*)", "GPU 0", "gpu_compute",
			FUNCTION_gpu_comm },
		{ "rcclGenericKernel", "GPU 0", "gpu_kernel",
			FUNCTION_gpu_comm },
		{ "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "GPU 0",
			"gpu_comm", FUNCTION_gpu_comm },
		{ "reduce_kernel", "GPU 0", "gpu_compute",
			FUNCTION_gpu_compute },
		{ "pack_for_all_reduce", "GPU 0", "gpu_comm",
			FUNCTION_gpu_comm },
		{ "nvshmem_copy", "GPU 0", "gpu_memcpy_d2d",
			FUNCTION_memcpy_d2d },
		{ "ncclKernel_AllReduce", "Host", "cpu_sync", FUNCTION_sync },
	};
	enum { N = sizeof cases / sizeof *cases };
	struct line lines[N];
	struct world *w = *state;

	for (int i = 0; i < N; i++)
		lines[i] = (struct line){ 2, cases[i].name, cases[i].device,
			cases[i].word, "", 1, 1000 - i, 1, 0, 0, 0, NULL };
	tell(w, lines, N);
	assert_int_equal(w->p.patterns.n, N);
	for (int i = 0; i < N; i++) {
		assert_string_equal(w->p.patterns.rows[i].name, cases[i].name);
		assert_int_equal(w->p.patterns.rows[i].type, cases[i].type);
	}
}

/* Words of tables, known and unknown, depending on their device. */
static void test_types(void **state)
{
	static const struct line lines[] = {
		{ 2, "a", "GPU 1", "gpu_memcpy_h2d", "", 1, 9, 1, 0, 0, 0,
			NULL },
		{ 2, "b", "GPU 1", "gpu_comm", "", 1, 8, 1, 0, 0, 0, NULL },
		{ 2, "c", "Host", "cpu_sync", "", 1, 7, 1, 0, 0, 0, NULL },
		{ 2, "d", "Host", "disk_read_and_write", "", 1, 6, 1, 0, 0, 0,
			NULL },
		{ 2, "e", "Host", "lock", "", 1, 5, 1, 0, 0, 0, NULL },
		{ 2, "f", "GPU 12", "lock", "", 1, 4, 1, 0, 0, 0, NULL },
		{ 2, "g", "", "", "", 1, 3, 1, 0, 0, 0, NULL },
		{ 2, "h", "CPU 3", "oncpu", "", 1, 2, 1, 0, 0, 0, NULL },
	};
	static const struct {
		enum function_type type;
		int32_t number;
	} want[] = {
		{ FUNCTION_memcpy_h2d, 1 },
		{ FUNCTION_gpu_comm, 1 },
		{ FUNCTION_sync, -1 },
		{ FUNCTION_host_io, -1 },
		{ FUNCTION_other_host, -1 },
		{ FUNCTION_other_device, 12 },
		{ FUNCTION_other_host, -1 },
		{ FUNCTION_oncpu, -1 },
	};
	struct world *w = *state;
	TELL(w, lines);
	assert_int_equal(w->p.patterns.n, 8);
	for (int i = 0; i < 8; i++) {
		const struct pattern *f = &w->p.patterns.rows[i];
		assert_string_equal(f->name, lines[i].function);
		assert_string_equal(f->device, lines[i].device);
		assert_int_equal(f->type, want[i].type);
		assert_int_equal(f->number, want[i].number);
	}
}

/* If two rows have one time, or two rows one metric, the first row is used.
 * Rows of another anchor or of a missing iteration are ignored. */
static void test_twice(void **state)
{
	static const struct line lines[] = {
		{ 2, "f", "GPU 0", "gpu_compute", "m", 1, 10, 1, 5, 0, 0, "A" },
		{ 2, "f", "GPU 0", "gpu_compute", "m", 2, 20, 2, 6, 0, 0, "A" },
		{ 4, "f", "GPU 0", "gpu_compute", "m", 2, 30, 3, 7, 0, 0, "B" },
		{ 9, "f", "GPU 0", "gpu_compute", "m", 2, 40, 4, 8, 0, 0, "A" },
	};
	struct world *w = *state;
	TELL(w, lines);
	assert_int_equal(w->p.patterns.n, 1);
	const struct pattern *f = &w->p.patterns.rows[0];
	assert_true(f->dur_ns[1] == 10 && f->launches[1] == 1);
	assert_true(f->dur_ns[0] == 0 && f->beta_pct[1] == 1);
	assert_true(w->p.patterns.metrics[0].mu[1] == 5);
	assert_int_equal(w->p.patterns.metrics[0].interpolated[0], ABSENT);
	assert_int_equal(w->p.notes.count[NOTE_pattern_twice], 1);
	assert_string_equal(w->p.notes.detail[NOTE_pattern_twice], "m");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_rows_as_written),
		WORLD_TEST(collectives_of_the_catalog_are_collectives),
		WORLD_TEST(test_types),
		WORLD_TEST(test_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

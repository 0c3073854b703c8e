/* test_bench.c - tests the timing of batches on a GPU whose library is a set of
 * functions of this file. */
#include "bench.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double now_ms, call_ms, slower;
static int calls, batches, readings, busy, fill_words, allocated, budget_mib;

static int stub_there(void **to)
{
	static int there;

	*to = &there;
	return 0;
}

static int stub_device(int *to, int ordinal)
{
	*to = ordinal;
	return ordinal < 2 ? 0 : 101;
}

static int stub_bus(char *to, int room, int device)
{
	snprintf(to, (size_t)room, "0000:%02d:00.0", device);
	return 0;
}

static int stub_retain(void **context, int device)
{
	(void)device;
	return stub_there(context);
}

static int stub_release(int device)
{
	(void)device;
	return 0;
}

static int stub_use(void *context)
{
	(void)context;
	return 0;
}

static int stub_new(void **to, unsigned flags)
{
	(void)flags;
	*to = calloc(1, sizeof(double));
	return 0;
}

static int stub_free(void *it)
{
	free(it);
	return 0;
}

static int stub_memory(uint64_t *at, size_t bytes)
{
	if (allocated + (int)(bytes >> 20) > budget_mib)
		return GPU_OUT_OF_MEMORY;
	allocated += (int)(bytes >> 20);
	*at = bytes;
	return 0;
}

static int stub_memory_free(uint64_t at)
{
	allocated -= (int)(at >> 20);
	return 0;
}

static int stub_module(void **module, const void *image)
{
	(void)image;
	return stub_there(module);
}

static int stub_function(void **function, void *module, const char *name)
{
	(void)module, (void)name;
	return stub_there(function);
}

static int stub_record(void *event, void *stream)
{
	(void)stream;
	*(double *)event = now_ms;
	busy = 2;
	batches++;
	return 0;
}

static int stub_query(void *event)
{
	(void)event;
	return busy-- > 0 ? GPU_NOT_READY : GPU_OK;
}

static int stub_elapsed(float *ms, void *from, void *to)
{
	*ms = (float)(*(double *)to - *(double *)from);
	return 0;
}

static int stub_error_name(int error, const char **name)
{
	*name = "CUDA_ERROR_INVALID_DEVICE";
	return error == 101 ? 0 : 1;
}

static int stub_launch(void *function, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **parameters, void **extra)
{
	(void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by,
		(void)bz, (void)shared, (void)stream, (void)extra;
	fill_words = (int)*(uint64_t *)parameters[1];
	assert_int_equal(*(uint32_t *)parameters[2], 1);
	assert_int_equal(*(uint32_t *)parameters[5], 4);
	return 0;
}

static int stub_nvml(const char *bus, void **device)
{
	assert_string_equal(bus, "0000:01:00.0");
	return stub_there(device);
}

static int stub_clock(void *device, int domain, unsigned *mhz)
{
	(void)device;
	readings++;
	*mhz = domain == GPU_CLOCK_SM ? 1000 : 2000;
	return 0;
}

static struct gpu_library stub_library(void)
{
	static int handle;
	struct gpu_library l = { .cuda_device = stub_device,
		.cuda_device_bus = stub_bus,
		.cuda_context_retain = stub_retain,
		.cuda_context_release = stub_release,
		.cuda_context_use = stub_use,
		.cuda_stream_new = stub_new,
		.cuda_stream_free = stub_free,
		.cuda_event_new = stub_new,
		.cuda_event_free = stub_free,
		.cuda_memory_new = stub_memory,
		.cuda_memory_free = stub_memory_free,
		.cuda_module_new = stub_module,
		.cuda_module_free = stub_free,
		.cuda_function = stub_function,
		.cuda_event_record = stub_record,
		.cuda_event_query = stub_query,
		.cuda_event_elapsed = stub_elapsed,
		.cuda_error_name = stub_error_name,
		.cuda_launch = stub_launch,
		.nvml_device = stub_nvml,
		.nvml_clock = stub_clock };

	l.cuda_module_free = stub_use;
	l.handles[GPU_NVML] = &handle;
	return l;
}

static bool work(struct bench *b, void *arg, struct err *e)
{
	(void)b, (void)arg, (void)e;
	/* The first call takes longer; later batches are slower. */
	now_ms += call_ms * (batches > 5 ? slower : 1) + (calls++ ? 0 : 500);
	return true;
}

static void opened(struct bench *b, struct gpu_library *l, int mib)
{
	struct err e = { 0 };

	calls = batches = readings = allocated = 0;
	budget_mib = mib;
	now_ms = 0;
	if (!bench_open(b, l, 1, &e))
		fail_msg("%s", e.text);
}

static void best_batch_counts(void **state)
{
	struct gpu_library l = stub_library();
	struct bench b;
	struct bench_clocks clocks;
	struct err e = { 0 };
	double s;

	(void)state;
	opened(&b, &l, 4096);
	call_ms = 2;
	slower = 1.5;
	assert_true(bench_time(&b, work, NULL, &s, &clocks, &e));
	assert_true(fabs(s - 0.002) < 1e-9);
	/* two single calls, then five batches of 100 ms / 2 ms calls */
	assert_int_equal(calls, 2 + 5 * 50);
	assert_int_equal(clocks.sm_mhz, 1000);
	assert_int_equal(clocks.memory_mhz, 2000);
	bench_close(&b);
	assert_int_equal(allocated, 0);

	opened(&b, &l, 4096);
	call_ms = 0.001; /* at most 1,000 calls */
	assert_true(bench_time(&b, work, NULL, &s, &clocks, &e));
	assert_int_equal(calls, 2 + 5 * 1000);
	bench_close(&b);

	opened(&b, &l, 4096);
	call_ms = 1000; /* at least one */
	slower = 1;
	assert_true(bench_time(&b, work, NULL, &s, &clocks, &e));
	assert_int_equal(calls, 2 + 5);
	call_ms = 0;
	assert_false(bench_time(&b, work, NULL, &s, &clocks, &e));
	assert_string_equal(e.text,
		"GPU 1 reports that a measurement took no time");
	bench_close(&b);
}

static void buffers_shrink_until_they_fit(void **state)
{
	static const struct {
		int budget_mib;
		size_t each_mib;
	} rows[] = { { 1568, 512 }, { 1567, 256 }, { 800, 256 }, { 127, 16 },
		{ 80, 16 } };
	static const uint32_t mask[4] = { 1, 2, 3, 4 };
	struct gpu_library l = stub_library();
	struct bench b;
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		opened(&b, &l, rows[i].budget_mib);
		assert_int_equal(b.buffer_bytes >> 20, rows[i].each_mib);
		assert_true(bench_fill(&b, b.buffer[0], 4096, mask, &e));
		assert_int_equal(fill_words, 1024);
		bench_close(&b);
		assert_int_equal(allocated, 0);
	}
	budget_mib = 79;
	assert_false(bench_open(&b, &l, 1, &e));
	assert_string_equal(e.text,
		"GPU 1 has not enough free memory: 80 MiB are needed at least "
		"(CUDA_ERROR_OUT_OF_MEMORY)");
	bench_close(&b);
	assert_int_equal(allocated, 0);
}

static void failed_calls_have_a_sentence(void **state)
{
	struct gpu_library l = stub_library();
	struct bench b;
	struct err e = { 0 };

	(void)state;
	assert_false(bench_open(&b, &l, 2, &e));
	assert_string_equal(e.text,
		"cuDeviceGet: the driver returns CUDA_ERROR_INVALID_DEVICE");
	bench_close(&b);
	e = (struct err){ 0 };
	assert_false(gpu_ok(&l, 77, "cuInit", &e));
	assert_string_equal(e.text, "cuInit: the driver returns 77");
	assert_true(gpu_ok(&l, GPU_OK, "cuInit", &e));
}

/* A machine may have the libraries. */
static void libraries_are_there_or_not(void **state)
{
	struct gpu_library l = { 0 };

	(void)state;
	for (int i = GPU_CUDA; i <= GPU_NVML; i++) {
		struct err e = { 0 };

		bool ok = gpu_library_open(&l, (enum gpu_which)i, &e);

		assert_int_equal(ok, l.handles[i] != NULL);
		assert_int_equal(e.code != 0, l.handles[i] == NULL);
	}
	gpu_library_close(&l);
	assert_null(l.handles[GPU_BLAS]);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(best_batch_counts),
		cmocka_unit_test(buffers_shrink_until_they_fit),
		cmocka_unit_test(failed_calls_have_a_sentence),
		cmocka_unit_test(libraries_are_there_or_not),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

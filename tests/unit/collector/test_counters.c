/* test_counters.c - tests the sampling threads, windows, and the rows made
 * from samples. */
#include "counters.h"
#include "counters_state.h"
#include "counter_rows.h"
#include "log.h"
#include <dlfcn.h>
#include <libgen.h>
#include <time.h>

static char library[4200];
static int (*fake_open)(void), (*fake_busy)(void), (*fake_reads)(int),
	(*fake_pcie)(void);

static void call(void *handle, const char *name, void *to)
{
	void *at = dlsym(handle, name);
	assert_non_null(at);
	memcpy(to, &at, sizeof at);
}

static int start(void **state)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	(void)state;
	self[len > 0 ? len : 0] = '\0';
	snprintf(library, sizeof library, "%s/fakes/libnvidia-ml.so.1",
		dirname(self));
	void *handle = dlopen(library, RTLD_NOW);
	assert_non_null(handle);
	call(handle, "fake_nvml_open", &fake_open);
	call(handle, "fake_nvml_busy", &fake_busy);
	call(handle, "fake_nvml_reads", &fake_reads);
	call(handle, "fake_nvml_pcie", &fake_pcie);
	unsetenv("CUDA_VISIBLE_DEVICES");
	unsetenv("CUDA_DEVICE_ORDER");
	return 0;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}

static void wait_reads(int gpu, int turns, int pcie)
{
	for (int ms = 0; fake_reads(gpu) < turns || fake_pcie() < pcie; ms++) {
		assert_true(ms < 60000);
		nap();
	}
}

/* Runs one window of a few turns, and reads its capture. */
static void window(struct counters *c, struct capture_writer *s, int turns,
	int pcie)
{
	counters_start(c);
	wait_reads(0, turns, pcie);
	counters_drain(c, s);
	counters_stop(c);
	counters_drain(c, s);
	assert_int_equal(counters_dropped(c), 0);
}

static void series_are_in_their_window(void **state)
{
	const char *env[] = { "KERNSIFT_TRACE_NVML", library,
		"KERNSIFT_TRACE_NVML_HZ", "100", "KERNSIFT_TRACE_HOST_HZ",
		"100", NULL };
	struct spooled d;
	(void)state;
	setenv("FAKE_NVML", "pcie=1", 1);
	spooled_init(&d, env);
	struct capture_writer *s = capture_writer_new(&d.options);
	struct counters *c = counters_new(&d.options);
	assert_non_null(c);
	assert_int_equal(fake_open(), 0);
	int64_t from = clock_real_ns();
	window(c, s, 5, 4);
	int64_t to = clock_real_ns();
	capture_writer_beat(s, to, true);
	read_capture(spooled_count(&d, ".kst").path);
	assert_true(series(COUNTER_gpu_usage, 0, from, to) >= 5);
	assert_true(series(COUNTER_gpu_usage, 1, from, to) >= 4);
	assert_true(series(COUNTER_gpu_power, 1, from, to) >= 4);
	assert_true(series(COUNTER_gpu_pcie_transmit, 0, from, to) >= 1);
	assert_true(series(COUNTER_gpu_pcie_receive, 1, from, to) >= 1);
	/* the start and the end of a window */
	assert_true(series(COUNTER_oncpu, -1, from, to) >= 2);
	assert_true(series(COUNTER_runq, -1, from, to) >= 2);
	assert_string_equal(counted.devices,
		"0 FAKE A1 132 9.0 80 GPU-000000a0\n"
		"1 FAKE A1 132 9.0 80 GPU-000000a1\n");
	assert_non_null(strstr(counted.facts, "driver 580.65.06\n"));
	assert_non_null(strstr(counted.facts, "sm_clock_max_mhz 1980\n"));
	assert_non_null(strstr(counted.facts, "power_cap_w 700\n"));
	assert_string_equal(counted.notes, "");

	/* the next window, in the next capture */
	counters_again(c);
	from = clock_real_ns();
	window(c, s, fake_reads(0) + 3, 0);
	to = clock_real_ns();
	capture_writer_free(s);
	read_capture(spooled_count(&d, ".kst").path);
	assert_true(series(COUNTER_gpu_usage, 1, from, to) >= 2);
	assert_true(series(COUNTER_oncpu, -1, from, to) >= 2);
	assert_string_equal(counted.devices,
		"0 FAKE A1 132 9.0 80 GPU-000000a0\n"
		"1 FAKE A1 132 9.0 80 GPU-000000a1\n");
	assert_non_null(strstr(counted.facts, "power_cap_w 700\n"));
	assert_int_equal(fake_open(), 1);
	counters_free(c);
	assert_int_equal(fake_open(), 0);
	spooled_release(&d);
}

/* GPUs of two kinds, and more threads than are read: both have a note. */
static void missing_samples_have_notes(void **state)
{
	const char *env[] = { "KERNSIFT_TRACE_NVML", library,
		"KERNSIFT_TRACE_NVML_HZ", "100", NULL };
	struct spooled d;
	(void)state;
	setenv("FAKE_NVML", "mixed", 1);
	spooled_init(&d, env);
	struct capture_writer *s = capture_writer_new(&d.options);
	struct counters *c = counters_new(&d.options);
	counters_start(c);
	for (int ms = 0; !nvml_ready(&c->nvml); ms++) {
		assert_true(ms < 60000);
		nap();
	}
	atomic_store(&c->host.tasks.most_beyond, 44);
	counters_stop(c);
	counters_drain(c, s);
	counters_free(c);
	capture_writer_free(s);
	read_capture(spooled_count(&d, ".kst").path);
	assert_string_equal(counted.notes, "device_order \n"
					   "tasks_beyond \n");
	assert_string_equal(counted.devices, "");
	spooled_release(&d);
}

/* Without NVML the host's counters are recorded, and the log says why the
 * others are missing. */
static void without_nvml(void **state)
{
	const char *env[] = { "KERNSIFT_TRACE_NVML", library,
		"KERNSIFT_TRACE_HOST_HZ", "100", NULL };
	struct spooled d;
	char log[256], line[512] = "";
	(void)state;
	setenv("FAKE_NVML", "init=18", 1);
	spooled_init(&d, env);
	snprintf(log, sizeof log, "%s/log", d.folder);
	log_open(log);
	struct capture_writer *s = capture_writer_new(&d.options);
	struct counters *c = counters_new(&d.options);
	counters_start(c);
	for (int ms = 0; !strstr(line, "(18)"); ms++) {
		FILE *f = fopen(log, "r");
		assert_true(ms < 60000);
		log_flush();
		if (f) {
			size_t got = fread(line, 1, sizeof line - 1, f);
			line[got] = '\0';
			fclose(f);
		}
		nap();
	}
	counters_stop(c);
	counters_drain(c, s);
	counters_free(c);
	capture_writer_free(s);
	log_open(NULL);
	read_capture(spooled_count(&d, ".kst").path);
	assert_true(series(COUNTER_oncpu, -1, 0, INT64_MAX) >= 2);
	assert_int_equal(series(COUNTER_gpu_usage, 0, 0, INT64_MAX), 0);
	assert_string_equal(counted.devices, "");
	spooled_release(&d);
}

static void no_counter_is_enabled(void **state)
{
	static const char *const envs[][5] = {
		{ "KERNSIFT_TRACE_KINDS", "kernel,nvtx", NULL },
		{ "KERNSIFT_TRACE_NVML_HZ", "0", "KERNSIFT_TRACE_HOST_HZ", "0",
			NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof envs / sizeof *envs; i++) {
		struct spooled d;
		spooled_init(&d, envs[i]);
		struct counters *c = counters_new(&d.options);
		assert_null(c);
		counters_start(c);
		counters_drain(c, NULL);
		counters_again(c);
		assert_int_equal(counters_dropped(c), 0);
		counters_stop(c);
		counters_free(c);
		spooled_release(&d);
	}
}

/* A call that does not return blocks no other thread. The thread in that call
 * is never ended, the next window starts no second one, and its memory is not
 * freed by counters_free(). */
static void a_call_does_not_return(void **state)
{
	const char *env[] = { "KERNSIFT_TRACE_NVML", library,
		"KERNSIFT_TRACE_HOST_HZ", "0", NULL };
	struct spooled d;
	(void)state;
	setenv("FAKE_NVML", "gpus=1 slow=1500", 1);
	spooled_init(&d, env);
	struct counters *c = counters_new(&d.options);
	counters_start(c);
	for (int ms = 0; !fake_busy(); ms++) {
		assert_true(ms < 60000);
		nap();
	}
	counters_stop(c);
	counters_start(c);
	counters_free(c);
	for (int ms = 0; fake_busy(); ms++) {
		assert_true(ms < 60000);
		nap();
	}
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_are_in_their_window),
		cmocka_unit_test(missing_samples_have_notes),
		cmocka_unit_test(without_nvml),
		cmocka_unit_test(no_counter_is_enabled),
		cmocka_unit_test(a_call_does_not_return),
	};
	return cmocka_run_group_tests(tests, start, NULL);
}

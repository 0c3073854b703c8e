/* test_nvml_odd.c - tests an NVML that returns errors, is old or is missing,
 * and a GPU that is lost. */
#include "nvml_world.h"
#include <dlfcn.h>

/* One call fails at a time; all other values of the GPU are recorded. */
static void test_refused(void **state)
{
	static const struct {
		const char *call;
		enum counter counter[3];
		int n;
	} cases[] = {
		{ "nvmlDeviceGetUtilizationRates", { COUNTER_gpu_usage }, 1 },
		{ "nvmlDeviceGetClockInfo",
			{ COUNTER_gpu_frequency, COUNTER_gpu_sm_frequency,
				COUNTER_gpu_mem_frequency },
			3 },
		{ "nvmlDeviceGetMemoryInfo", { COUNTER_gpu_mem_used }, 1 },
		{ "nvmlDeviceGetPowerUsage", { COUNTER_gpu_power }, 1 },
		{ "nvmlDeviceGetTotalEnergyConsumption",
			{ COUNTER_gpu_power_mean }, 1 },
		{ "nvmlDeviceGetTemperature", { COUNTER_gpu_temperature }, 1 },
		{ "nvmlDeviceGetCurrentClocksEventReasons",
			{ COUNTER_gpu_clock_held }, 1 },
		{ "nvmlDeviceGetProcessUtilization",
			{ COUNTER_process_gpu_usage }, 1 },
		{ "nvmlDeviceGetFieldValues",
			{ COUNTER_gpu_link_transmit, COUNTER_gpu_link_receive },
			2 },
		{ "transmit", { COUNTER_gpu_link_transmit }, 1 },
		{ "receive", { COUNTER_gpu_link_receive }, 1 },
	};
	static const int codes[] = { 3, 4, 13, 999 };
	struct world *w = *state;
	open_nvml(w, "gpus=1");
	turn(w, 0);
	turn(w, 1000000000);
	int all = w->s.n;
	assert_int_equal(all, 12);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char words[128];
		snprintf(words, sizeof words, "gpus=1 fail=%s:%d",
			cases[i].call, codes[i % 4]);
		nvml_close(&w->n);
		open_nvml(w, words);
		turn(w, 1000000000);
		turn(w, 1000000000);
		assert_int_equal(w->s.n, all - cases[i].n);
		for (int k = 0; k < cases[i].n; k++)
			assert_null(
				sampled_find(&w->s, cases[i].counter[k], 0));
	}
}

/* A series that failed is read again in the next window; a lost GPU is not. */
static void test_lost(void **state)
{
	struct world *w = *state;
	open_nvml(w, "lost=0:3 fail=nvmlDeviceGetPowerUsage:3");
	turn(w, 100000000);
	turn(w, 100000000);
	assert_sampled(&w->s, gpu_usage, 0, 2);
	assert_not_sampled(&w->s, gpu_power, 1);
	turn(w, 100000000);
	assert_not_sampled(&w->s, gpu_usage, 0);
	assert_sampled(&w->s, gpu_usage, 1, 13);
	turn(w, 2000000000);
	for (int c = 0; c < COUNTERS; c++)
		assert_null(sampled_find(&w->s, (enum counter)c, 0));
	assert_sampled(&w->s, gpu_usage, 1, 14);
	assert_int_not_equal(w->n.gpu[1].off, 0);
	assert_true(nvml_open(&w->n, &w->place, w->sentence));
	assert_int_equal(w->n.gpu[1].off, 0);
	turn(w, 1000000000);
	assert_not_sampled(&w->s, gpu_usage, 0);
	assert_sampled(&w->s, gpu_usage, 1, 15);
	pcie(w);
	assert_not_sampled(&w->s, gpu_pcie_transmit, 0);
	assert_non_null(sampled_find(&w->s, COUNTER_gpu_pcie_transmit, 1));
}

static void test_old(void **state)
{
	struct world *w = *state;
	library(w, "libnvidia-ml-old.so.1");
	open_nvml(w, "");
	assert_int_equal(w->n.gpu[0].sm_count, -1);
	assert_int_equal(w->n.gpu[0].major, -1);
	assert_int_equal(w->n.gpu[0].power_cap_mw, -1);
	turn(w, 0);
	turn(w, 1000000000);
	pcie(w);
	assert_int_equal(w->s.n, 0);
	turn(w, 1000000000);
	assert_int_equal(w->s.n, 2 * 6);
	assert_sampled(&w->s, gpu_usage, 1, 13);
	assert_sampled(&w->s, gpu_clock_held, 1, 0);
}

static void test_no_use(void **state)
{
	static const struct {
		const char *library, *words, *want;
	} cases[] = {
		{ NULL, "init=18",
			"NVML cannot be used: it is not of the driver's "
			"version; the driver was updated without a restart "
			"(18); GPU counters are not recorded" },
		{ NULL, "init=9",
			"NVML cannot be used: no driver is loaded (9); GPU "
			"counters are not recorded" },
		{ NULL, "fail=nvmlDeviceGetCount_v2:999",
			"NVML cannot be used: it refuses (999); GPU counters "
			"are not recorded" },
		{ "libnone.so.1", "",
			"there is no NVML as 'libnone.so.1'; GPU counters are "
			"not recorded" },
		{ "libm.so.6", "",
			"'libm.so.6' is no NVML; GPU counters are not "
			"recorded" },
	};
	struct world *w = *state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		setenv("FAKE_NVML", cases[i].words, 1);
		w->place.library =
			cases[i].library ? cases[i].library : w->library;
		assert_false(nvml_open(&w->n, &w->place, w->sentence));
		assert_string_equal(w->sentence, cases[i].want);
		assert_false(nvml_ready(&w->n));
		nvml_close(&w->n);
	}
	/* it may be available in the next window */
	w->place.library = w->library;
	open_nvml(w, "");
	assert_int_equal(w->n.n, 2);
}

/* Each opening is closed, and no reading continues after a stop. */
static void test_open_and_stop(void **state)
{
	struct world *w = *state;
	open_nvml(w, "gpus=4 pcie=0");
	void *handle = dlopen(w->library, RTLD_NOW);
	int (*times)(void);
	void *at = dlsym(handle, "fake_nvml_open");
	memcpy(&times, &at, sizeof at);
	assert_int_equal(times(), 1);
	assert_true(nvml_open(&w->n, &w->place, w->sentence));
	assert_int_equal(times(), 1);
	w->stop_after = 1;
	turn(w, 0);
	assert_non_null(sampled_find(&w->s, COUNTER_gpu_usage, 0));
	assert_not_sampled(&w->s, gpu_usage, 1);
	w->stop_after = 1;
	pcie(w);
	assert_int_equal(w->s.n, 1);
	nvml_close(&w->n);
	assert_int_equal(times(), 0);
	dlclose(handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NVML_TEST(test_refused),
		NVML_TEST(test_lost),
		NVML_TEST(test_old),
		NVML_TEST(test_no_use),
		NVML_TEST(test_open_and_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

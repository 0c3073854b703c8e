/* test_nvml.c - compares the values of the fake NVML's GPUs with values
 * computed by hand. */
#include "nvml_world.h"

static void test_values(void **state)
{
	struct world *w = *state;
	open_nvml(w, "pcie=0");
	assert_int_equal(w->n.n, 2);
	assert_string_equal(w->n.driver, "580.65.06");
	const struct nvml_gpu *g = &w->n.gpu[1];
	assert_int_equal(g->number, 1);
	assert_string_equal(g->name, "FAKE A1");
	assert_int_equal(g->major, 9);
	assert_int_equal(g->minor, 0);
	assert_int_equal(g->sm_count, 132);
	assert_int_equal(g->memory_bytes, INT64_C(80) << 30);
	assert_int_equal(g->sm_clock_max_mhz, 1980);
	assert_int_equal(g->power_cap_mw, 700000);

	turn(w, 0);
	assert_sampled(&w->s, gpu_usage, 0, 1);
	assert_sampled(&w->s, gpu_usage, 1, 11);
	assert_sampled(&w->s, gpu_frequency, 1, 1001);
	assert_sampled(&w->s, gpu_sm_frequency, 1, 1101);
	assert_sampled(&w->s, gpu_mem_frequency, 1, 1201);
	assert_sampled(&w->s, gpu_mem_used, 1, 2.0 * (1 << 30));
	assert_sampled(&w->s, gpu_power, 1, 101.5);
	assert_sampled(&w->s, gpu_temperature, 1, 41);
	assert_sampled(&w->s, gpu_clock_held, 0, 0);
	assert_sampled(&w->s, gpu_clock_held, 1, 100);
	assert_sampled(&w->s, process_gpu_usage, 0, 22);
	assert_not_sampled(&w->s, gpu_power_mean, 0);
	assert_not_sampled(&w->s, gpu_link_transmit, 0);

	/* within a second, only cheap values are read */
	turn(w, 500000000);
	assert_sampled(&w->s, gpu_usage, 1, 12);
	assert_not_sampled(&w->s, gpu_temperature, 1);
	assert_not_sampled(&w->s, gpu_power_mean, 1);

	/* In one second: 300 J, 1 MiB sent and 2 MiB received. The process's
	 * newest value is older than the newest value of all, which came 3 us
	 * into the second. */
	turn(w, 500000000);
	assert_sampled(&w->s, gpu_power_mean, 1, 300);
	assert_sampled(&w->s, gpu_link_transmit, 1, 1048576);
	assert_sampled(&w->s, gpu_link_receive, 1, 2097152);
	assert_sampled(&w->s, process_gpu_usage, 1, 25);

	pcie(w);
	assert_int_equal(w->s.n, 4);
	assert_sampled(&w->s, gpu_pcie_transmit, 0, 1000000);
	assert_sampled(&w->s, gpu_pcie_receive, 1, 2001000);
}

static void test_short_counters(void **state)
{
	struct world *w = *state;
	open_nvml(w, "gpus=1 link32");
	turn(w, 0);
	turn(w, 2000000000);
	assert_sampled(&w->s, gpu_link_transmit, 0, 524288);
	assert_sampled(&w->s, gpu_link_receive, 0, 1048576);
}

static void test_no_process(void **state)
{
	struct world *w = *state;
	for (int code = NVML_NOT_FOUND; code <= NVML_TOO_SMALL; code++) {
		char words[64];
		snprintf(words, sizeof words,
			"gpus=1 fail=nvmlDeviceGetProcessUtilization:%d", code);
		nvml_close(&w->n);
		open_nvml(w, words);
		turn(w, 1000000000);
		assert_not_sampled(&w->s, process_gpu_usage, 0);
		assert_int_equal(w->n.gpu[0].off, 0);
	}
}

static void test_namespace(void **state)
{
	struct world *w = *state;
	char path[128];
	snprintf(path, sizeof path, "%s/self/ns/pid", w->f.at);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("pid:[4026532000]", path), 0);
	open_nvml(w, "");
	turn(w, 0);
	assert_not_sampled(&w->s, process_gpu_usage, 0);
	assert_sampled(&w->s, gpu_usage, 0, 1);
}

static void test_numbers(void **state)
{
	struct world *w = *state;
	w->place.visible = "3,1";
	open_nvml(w, "gpus=4");
	assert_int_equal(w->n.n, 2);
	turn(w, 0);
	assert_sampled(&w->s, gpu_usage, 0, 31);
	assert_sampled(&w->s, gpu_usage, 1, 11);
}

static void test_part_of_gpu(void **state)
{
	struct world *w = *state;
	w->place.visible = "MIG-7";
	open_nvml(w, "");
	turn(w, 0);
	assert_sampled(&w->s, gpu_mem_used, 0, 2.0 * (1 << 30));
}

static void test_absent(void **state)
{
	struct world *w = *state;
	w->place.visible = "0,1,2";
	open_nvml(w, "gpus=3 absent=1 mixed");
	assert_int_equal(w->n.n, 0);
	assert_int_equal(w->n.order_unknown, 3);
	nvml_close(&w->n);
	w->place.order = "PCI_BUS_ID";
	open_nvml(w, "gpus=3 absent=1");
	assert_int_equal(w->n.n, 2);
	turn(w, 0);
	assert_sampled(&w->s, gpu_usage, 0, 1);
	assert_sampled(&w->s, gpu_usage, 2, 21);
	assert_not_sampled(&w->s, gpu_usage, 1);
}

static void test_kinds_differ(void **state)
{
	struct world *w = *state;
	open_nvml(w, "mixed");
	assert_int_equal(w->n.order_unknown, 2);
	turn(w, 0);
	assert_int_equal(w->s.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		NVML_TEST(test_values),
		NVML_TEST(test_short_counters),
		NVML_TEST(test_no_process),
		NVML_TEST(test_namespace),
		NVML_TEST(test_numbers),
		NVML_TEST(test_part_of_gpu),
		NVML_TEST(test_absent),
		NVML_TEST(test_kinds_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

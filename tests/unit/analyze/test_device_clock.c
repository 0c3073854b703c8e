/* test_device_clock.c - tests which samples of SM clocks count, and how much. */
#include "device_clock.h"
#include "world.h"
#include <math.h>

#define MS INT64_C(1000000)

static void sample(struct world *w, const char *name, int32_t device,
	int64_t at_ns, double value)
{
	trace_counter_add(&w->t, &(struct counter_row){ .start_ns = at_ns,
					 .name = rows_name(&w->t, name),
					 .device = device,
					 .value = value });
}

/* n samples of the collector, every `step_ns` from `from_ns`. */
static void samples(struct world *w, int32_t device, int64_t from_ns,
	int64_t step_ns, int n, double mhz)
{
	for (int i = 0; i < n; i++)
		sample(w, "gpu_sm_frequency", device, from_ns + i * step_ns,
			mhz);
}

static void busy(struct world *w, int32_t device, int64_t from_ns,
	int64_t to_ns)
{
	rows_kernel(&w->t, "relu", from_ns, to_ns - from_ns, device, 1);
}

static const struct profile_device *clock_of(struct world *w, uint32_t i)
{
	assert_true(w->p.devices_n > i);
	return &w->p.devices[i];
}

static void expect_mhz(struct world *w, int64_t n, double mhz)
{
	assert_true(world_analyse(w));
	const struct profile_device *d = clock_of(w, 0);
	assert_true(fabs(d->sm_clock_mhz - mhz) < 1e-6);
	assert_int_equal(d->sm_clock_samples, n);
	assert_null(d->sm_clock_why);
	assert_int_equal(w->p.notes.count[NOTE_sm_clock_sparse], 0);
}

static void expect_why(struct world *w, int64_t n, const char *why)
{
	assert_true(world_analyse(w));
	const struct profile_device *d = clock_of(w, 0);
	assert_true(isnan(d->sm_clock_mhz));
	assert_int_equal(d->sm_clock_samples, n);
	assert_string_equal(d->sm_clock_why, why);
	assert_int_equal(w->p.notes.count[NOTE_sm_clock_sparse], n >= 0);
}

/* Ten samples of 1,000 MHz from 0 to 90 ms, one of 2,000 MHz at 590 ms. The
 * moments nearest to the last one are those from 340 ms on: 340 ms at 1,000 and
 * 660 ms at 2,000 MHz. */
static void two_rates_weigh_by_time(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 1000 * MS);
	samples(w, 0, 0, 10 * MS, 10, 1000);
	samples(w, 0, 590 * MS, MS, 1, 2000);
	expect_mhz(w, 11, 1660);
}

/* Overlapping kernels are busy once: 100 ms at 1,000 MHz (the moments up to 100
 * ms), and 60 ms at 2,000 MHz. */
static void overlaps_count_once(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 100 * MS);
	busy(w, 0, 20 * MS, 90 * MS);
	busy(w, 0, 95 * MS, 160 * MS);
	samples(w, 0, 5 * MS, 10 * MS, 10, 1000);
	samples(w, 0, 105 * MS, 10 * MS, 6, 2000);
	expect_mhz(w, 16, (100 * 1000 + 60 * 2000) / 160.0);
}

static void idle_samples_do_not_count(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 100 * MS);
	busy(w, 0, 900 * MS, 1000 * MS);
	samples(w, 0, 0, 20 * MS, 5, 1500);
	samples(w, 0, 100 * MS, 50 * MS, 16, 345);
	samples(w, 0, 900 * MS, 20 * MS, 5, 1500);
	expect_mhz(w, 10, 1500);
}

/* An opaque graph replay keeps the device busy, too. */
static void replays_are_busy_time(void **state)
{
	struct world *w = *state;
	rows_graph(&w->t, 4, 5, 0, 100 * MS, 0);
	busy(w, 0, 100 * MS, 110 * MS);
	samples(w, 0, 0, 10 * MS, 10, 1400);
	expect_mhz(w, 10, 1400);
}

static void samples_before_the_first_kernel(void **state)
{
	struct world *w = *state;
	samples(w, 0, 0, 10 * MS, 20, 1500);
	busy(w, 0, 300 * MS, 400 * MS);
	expect_why(w, 0,
		"no usable sample of its SM clock (gpu_sm_frequency) was taken "
		"while a kernel ran");
}

static void nine_samples_are_too_few(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 100 * MS);
	samples(w, 0, 0, 10 * MS, 9, 1500);
	expect_why(w, 9,
		"only 9 usable samples of its SM clock (gpu_sm_frequency) were "
		"taken while kernels ran; at least 10 are needed");
}

/* The last sample, at 100 ms, reaches to 600 of 2,000 ms. */
static void samples_of_a_part_do_not_represent_the_run(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 2000 * MS);
	samples(w, 0, 10 * MS, 10 * MS, 10, 1500);
	expect_why(w, 10,
		"the samples of its SM clock (gpu_sm_frequency) cover 30.0 % of "
		"the time in which kernels ran; at least 80 % are needed");
}

static void no_samples_at_all(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 100 * MS);
	sample(w, "gpu_mem_frequency", 0, 50 * MS, 2619);
	expect_why(w, -1, "the trace has no samples of its SM clock");
}

/* 0, -5, 1e9 (Hz where the counter is in MHz) and what is no number. */
static void values_that_are_no_clock_are_ignored(void **state)
{
	struct world *w = *state;
	static const double odd[] = { 0, -5, 1e9, NAN };
	busy(w, 0, 0, 200 * MS);
	samples(w, 0, 0, 10 * MS, 10, 1500);
	for (int i = 0; i < 4; i++)
		sample(w, "gpu_sm_frequency", 0, (150 + i) * MS, odd[i]);
	expect_mhz(w, 10, 1500);
	assert_int_equal(w->p.notes.count[NOTE_sm_clock_odd], 4);
	assert_string_equal(w->p.notes.detail[NOTE_sm_clock_odd],
		"gpu_sm_frequency");
}

/* Nsight Systems exports Hz under a name that says MHz; half of the samples
 * here are in each unit. */
static void hertz_of_nsys_are_recognized(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 100 * MS);
	for (int i = 0; i < 10; i++)
		sample(w, "GPC Clock Frequency [MHz]", 0, i * 10 * MS,
			i % 2 ? 1410 : 1410e6);
	expect_mhz(w, 10, 1410);
}

/* Of two counters the first in the list is used. */
static void one_counter_is_used(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 100 * MS);
	for (int i = 0; i < 20; i++)
		sample(w, "GPC Clock Frequency [MHz]", 0, i * 5 * MS, 1000);
	samples(w, 0, 0, 10 * MS, 10, 1500);
	expect_mhz(w, 10, 1500);
}

static double of_run(struct world *w, const char **why)
{
	assert_true(world_analyse(w));
	return device_clock_of_run(&w->p, why);
}

/* 100 ms at 1,000 and 300 ms at 2,000 MHz. A device with copies only does not
 * count. */
static void a_run_weighs_its_devices_by_busy_time(void **state)
{
	struct world *w = *state;
	const char *why;
	busy(w, 0, 0, 100 * MS);
	busy(w, 3, 0, 300 * MS);
	rows_copy(&w->t, "Memcpy DtoD", 0, MS, 7, 64, false);
	samples(w, 0, 0, 10 * MS, 10, 1000);
	samples(w, 3, 0, 10 * MS, 30, 2000);
	assert_true(fabs(of_run(w, &why) - 1750) < 1e-6);
	assert_null(why);
	assert_string_equal(clock_of(w, 2)->sm_clock_why,
		"no kernel ran on it");
}

static void one_device_lacks_its_clock(void **state)
{
	struct world *w = *state;
	const char *why;
	busy(w, 0, 0, 100 * MS);
	busy(w, 1, 0, 100 * MS);
	samples(w, 0, 0, 10 * MS, 10, 1000);
	assert_true(isnan(of_run(w, &why)));
	assert_string_equal(why,
		"device 1: the trace has no samples of its SM clock");
	assert_true(clock_of(w, 0)->sm_clock_mhz > 999);
}

static void throttled(struct world *w, int64_t from_ns, int n, double percent)
{
	for (int i = 0; i < n; i++)
		sample(w, "gpu_clock_held", 0, from_ns + i * 10 * MS, percent);
}

/* Ten samples of 40 % and ten of 0 % while a kernel ran; those of 100 % were
 * taken afterwards. */
static void share_of_throttled_samples(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 200 * MS);
	throttled(w, 0, 10, 40);
	throttled(w, 100 * MS, 10, 0);
	throttled(w, 300 * MS, 10, 100);
	assert_true(world_analyse(w));
	assert_true(fabs(clock_of(w, 0)->throttled_pct - 20) < 1e-9);
}

static void nine_samples_of_throttling(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 200 * MS);
	throttled(w, 0, 9, 40);
	assert_true(world_analyse(w));
	assert_true(isnan(clock_of(w, 0)->throttled_pct));
}

static void an_odd_sample_of_throttling(void **state)
{
	struct world *w = *state;
	busy(w, 0, 0, 200 * MS);
	throttled(w, 0, 10, 40);
	throttled(w, 150 * MS, 1, 101);
	assert_true(world_analyse(w));
	assert_true(isnan(clock_of(w, 0)->throttled_pct));
	assert_int_equal(w->p.notes.count[NOTE_sm_clock_odd], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(two_rates_weigh_by_time),
		WORLD_TEST(overlaps_count_once),
		WORLD_TEST(idle_samples_do_not_count),
		WORLD_TEST(replays_are_busy_time),
		WORLD_TEST(samples_before_the_first_kernel),
		WORLD_TEST(nine_samples_are_too_few),
		WORLD_TEST(samples_of_a_part_do_not_represent_the_run),
		WORLD_TEST(no_samples_at_all),
		WORLD_TEST(values_that_are_no_clock_are_ignored),
		WORLD_TEST(hertz_of_nsys_are_recognized),
		WORLD_TEST(one_counter_is_used),
		WORLD_TEST(a_run_weighs_its_devices_by_busy_time),
		WORLD_TEST(one_device_lacks_its_clock),
		WORLD_TEST(share_of_throttled_samples),
		WORLD_TEST(nine_samples_of_throttling),
		WORLD_TEST(an_odd_sample_of_throttling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

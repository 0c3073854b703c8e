/* test_attribute_devices.c - tests the times of operator shapes on each device of a
 * run. */
#include "attribute_world.h"

/* A kernel of a matrix product on a device. */
static void gemm(struct world *w, const char *dims, int64_t at_ns,
	int64_t dur_ns, int32_t device)
{
	op(w, "aten::mm", dims, "[\"float\",\"float\"]", at_ns, 50);
	launch(w, "whatever", at_ns + 10, dur_ns);
	w->t.kernel.device[w->t.kernel.n - 1] = device;
}

static const char wide[] = "[[64,128],[128,256]]",
		  tall[] = "[[512,128],[128,256]]",
		  square[] = "[[64,64],[64,64]]";

static void one_device_has_the_times_of_the_run(void **state)
{
	struct world *w = *state;
	gemm(w, wide, 1000, 50, 3);
	gemm(w, wide, 2000, 60, 3);
	analyse(w);
	assert_false(w->p.operators.device_shapes_known);
	assert_int_equal(w->p.operators.device_shapes_n, 0);
}

static void two_devices_have_medians_of_their_own(void **state)
{
	struct world *w = *state;
	/* 50, 52, 57 on device 0; 80, 90 on device 2 */
	gemm(w, wide, 1000, 57, 0);
	gemm(w, wide, 2000, 50, 0);
	gemm(w, wide, 3000, 90, 2);
	gemm(w, wide, 4000, 52, 0);
	gemm(w, wide, 5000, 80, 2);
	gemm(w, tall, 6000, 400, 2);
	/* the third shape of its operator is not kept */
	gemm(w, square, 7000, 3, 0);
	analyse(w);
	const struct operators *o = &w->p.operators;
	static const struct {
		int32_t device;
		const char *text;
		int64_t calls;
		double median_ns;
	} want[] = { { 0, "m=64 n=256 k=128", 3, 52 },
		{ 2, "m=512 n=256 k=128", 1, 400 },
		{ 2, "m=64 n=256 k=128", 2, 85 } };
	assert_true(o->device_shapes_known);
	assert_int_equal(o->device_shapes_n, 3);
	for (int i = 0; i < 3; i++) {
		const struct device_shape *d = &o->device_shapes[i];
		assert_int_equal(d->device, want[i].device);
		assert_string_equal(o->shapes[d->shape].text, want[i].text);
		assert_int_equal(d->calls, want[i].calls);
		assert_true(d->median_ns == want[i].median_ns);
	}
}

/* Collectives wait for the other devices; a call on two devices is of neither;
 * an unattributed launch has no shape. */
static void calls_that_say_nothing_about_a_device(void **state)
{
	struct world *w = *state;
	launch(w, "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)", 1000,
		900);
	launch(w, "zebra_kernel_of_nobody", 2000, 70);
	w->t.kernel.device[w->t.kernel.n - 1] = 1;
	op(w, "aten::mm", wide, "[\"float\",\"float\"]", 3000, 50);
	launch(w, "whatever", 3010, 40);
	launch(w, "splitKreduce_kernel", 3020, 7);
	w->t.kernel.device[w->t.kernel.n - 1] = 1;
	gemm(w, wide, 4000, 44, 0);
	analyse(w);
	const struct operators *o = &w->p.operators;
	assert_true(o->device_shapes_known);
	assert_int_equal(o->device_shapes_n, 1);
	assert_int_equal(o->device_shapes[0].device, 0);
	assert_int_equal(o->device_shapes[0].calls, 1);
	assert_true(o->device_shapes[0].median_ns == 44);
}

/* Of the devices that the trace lists, others than the used one count, too, but
 * not those of another process. A device counts once, although it is listed twice for
 * the process, and for all processes. */
static void devices_that_a_process_sees(void **state)
{
	struct world *w = *state;
	struct device list[] = { { .process = -1, .number = 0 },
		{ .process = 0, .number = 1 }, { .process = 0, .number = 2 },
		{ .process = 0, .number = 2 }, { .process = -1, .number = 2 },
		{ .process = 1, .number = 3 } };
	w->t.devices = list;
	w->t.devices_n = 6;
	gemm(w, wide, 1000, 50, 2);
	gemm(w, wide, 2000, 50, 7);
	analyse(w);
	assert_int_equal(w->p.devices_n, 2);
	assert_int_equal(w->p.devices[0].visible, 3);
	/* the trace does not list it */
	assert_int_equal(w->p.devices[1].visible, 0);
}

/* The decoder left out those without records. */
static void devices_that_the_decoder_left_out(void **state)
{
	struct world *w = *state;
	struct device list[] = { { .process = -1, .number = 4 },
		{ .process = -1, .number = 5 } };
	w->t.devices = list;
	w->t.devices_n = 2;
	w->t.devices_listed = 8;
	gemm(w, wide, 1000, 50, 4);
	analyse(w);
	assert_int_equal(w->p.devices[0].visible, 8);
}

static void a_list_of_many_devices(void **state)
{
	enum { LISTED = 600000 };
	static struct device list[LISTED];
	struct world *w = *state;
	for (int i = 0; i < LISTED; i++)
		list[i] = (struct device){ .process = i % 2 - 1, .number = i };
	w->t.devices = list;
	w->t.devices_n = LISTED;
	gemm(w, wide, 1000, 50, 3);
	analyse(w);
	assert_int_equal(w->p.devices_n, 1);
	assert_int_equal(w->p.devices[0].visible, LISTED);
}

/* Each launch is on a device of its own; only some of them have a shape. */
static void many_devices(void **state)
{
	enum { DEVICES = 200000 };
	struct world *w = *state;
	gemm(w, wide, 1, 50, DEVICES - 2);
	gemm(w, wide, 100, 70, DEVICES - 1);
	for (int i = 0; i < DEVICES - 2; i++)
		rows_kernel(&w->t, "zebra_kernel_of_nobody", 200000 + i, 1, i,
			0);
	analyse(w);
	const struct operators *o = &w->p.operators;
	assert_int_equal(w->p.devices_n, DEVICES);
	assert_int_equal(o->device_shapes_n, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(o->device_shapes[i].device, DEVICES - 2 + i);
		assert_true(o->device_shapes[i].median_ns == 50 + 20 * i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(one_device_has_the_times_of_the_run),
		WORLD_TEST(two_devices_have_medians_of_their_own),
		WORLD_TEST(calls_that_say_nothing_about_a_device),
		WORLD_TEST(devices_that_a_process_sees),
		WORLD_TEST(devices_that_the_decoder_left_out),
		WORLD_TEST(a_list_of_many_devices),
		WORLD_TEST(many_devices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

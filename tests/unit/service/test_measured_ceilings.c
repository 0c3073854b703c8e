/* test_measured_ceilings.c - tests bounds and headroom by measured rates. */
#include "measured_ceilings.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

/* 1 TFLOP/s in bf16, 1 TB/s, launch floor 2 us. */
static struct measured_ceilings by(void)
{
	struct ceiling rows[] = {
		{ .kind = CEILING_GEMM, .dtype = DTYPE_BF16, .value = 1e12 },
		{ .kind = CEILING_COPY, .value = 1e12 },
	};
	struct ceilings is = { .rows = rows, .n = 2 };
	struct platform p = { .launch_floor_ns = 2000 };
	return (struct measured_ceilings){ .rates = ceilings_as_platform(&is,
						   &p) };
}

static struct shape_stat shape(uint64_t flops, uint64_t bytes, int64_t calls,
	int64_t total_ns)
{
	struct shape_stat s = { .costed = true };
	s.cost.flops[DTYPE_BF16] = flops;
	s.cost.read_bytes = bytes;
	s.call.instances = calls;
	s.call.total_ns = total_ns;
	s.call.avg_ns = (double)total_ns / (double)calls;
	return s;
}

static void sums_are_those_worked_out_by_hand(void **state)
{
	struct measured_ceilings m = by();
	struct measured_sum sum = { 0 };
	(void)state;

	/* 4e6 FLOP take 4 us, 1e6 bytes 1 us: 2 calls, 8 of 20 us. */
	struct shape_stat s = shape(4000000, 1000000, 2, 20000);
	assert_true(fabs(measured_ceilings_sol_ns(&s, &m.rates) - 4000) < 1e-9);
	measured_ceilings_add(&sum, &s, &m.rates);
	assert_true(fabs(sum.sol_ns - 8000) < 1e-9);
	assert_true(fabs(sum.headroom_ns - 12000) < 1e-9);
	/* shorter than its bound of 5 us: no headroom */
	s = shape(0, 5000000, 1, 4000);
	measured_ceilings_add(&sum, &s, &m.rates);
	assert_int_equal(sum.over_ns, 4000);
	assert_true(fabs(sum.headroom_ns - 12000) < 1e-9);
	/* as short as the launch floor: no headroom, but S counts */
	s = shape(1000000, 0, 3, 6000);
	measured_ceilings_add(&sum, &s, &m.rates);
	assert_true(fabs(sum.sol_ns - 16000) < 1e-9);
	assert_true(fabs(sum.headroom_ns - 12000) < 1e-9);
	assert_int_equal(sum.bound_ns, 30000);
}

static void what_was_not_measured_is_unknown(void **state)
{
	struct measured_ceilings m = by();
	struct measured_sum sum = { 0 };
	struct shape_stat s = shape(0, 0, 1, 10000);
	(void)state;

	s.cost.flops[DTYPE_FP16] = 100;
	measured_ceilings_add(&sum, &s, &m.rates);
	assert_true(isnan(measured_ceilings_sol_ns(&s, &m.rates)));
	s = shape(100, 100, 1, 10000);
	s.costed = false;
	measured_ceilings_add(&sum, &s, &m.rates);
	assert_int_equal(sum.bound_ns, 0);
	s.costed = true;
	assert_true(isnan(measured_ceilings_sol_ns(&s, NULL)));
}

static void values_above_the_peak_have_a_note(void **state)
{
	struct platform p = { .bytes_per_s = 4e12, .link_bytes_per_s = 450e9 };
	struct ceiling r = { .kind = CEILING_COPY, .value = 4.4e12 };
	struct arena a = { 0 };
	(void)state;

	assert_string_equal(measured_ceilings_note(&r, &p, &a),
		"10.0 % above the data sheet's peak: the device is not the one "
		"of the data sheet, its clocks are higher, or the measurement "
		"is wrong");
	r = (struct ceiling){ .kind = CEILING_ALL_REDUCE, .value = 495e9 };
	assert_string_equal(measured_ceilings_note(&r, &p, &a),
		"10.0 % above the link's peak: a switch that reduces sends "
		"less than the bus bandwidth assumes, the link is not the one "
		"of the data sheet, or the measurement is wrong");
	r = (struct ceiling){ .kind = CEILING_COPY, .value = 4e12 };
	assert_null(measured_ceilings_note(&r, &p, &a));
	assert_null(measured_ceilings_note(&r, NULL, &a));
	arena_release(&a);
}

/* Measured at 2,000 MHz; at 1,500 the rate is 0.75 TFLOP/s, so 4e6 FLOP take
 * 5,333.3 ns. A rate without a clock does not change, and neither does the
 * bandwidth. */
static void compute_ceilings_scale_from_their_own_clock(void **state)
{
	struct ceiling rows[] = {
		{ .kind = CEILING_GEMM,
			.dtype = DTYPE_BF16,
			.value = 1e12,
			.sm_clock_mhz = 2000 },
		{ .kind = CEILING_GEMM,
			.dtype = DTYPE_FP16,
			.value = 1e12,
			.sm_clock_mhz = -1 },
		{ .kind = CEILING_COPY, .value = 1e12, .sm_clock_mhz = 2000 },
	};
	struct ceilings is = { .rows = rows, .n = 3 };
	struct measured_ceilings m = { .rates = ceilings_as_platform(&is,
					       NULL) };
	struct shape_stat s = shape(4000000, 0, 1, 20000);
	(void)state;

	measured_ceilings_at_clock(&m, 1500);
	assert_true(
		fabs(measured_ceilings_sol_ns(&s, &m.rates) - 16e3 / 3) < 1e-6);
	assert_true(fabs(m.rates.peak_flops[DTYPE_FP16] - 1e12) < 1);
	assert_true(fabs(m.rates.bytes_per_s - 1e12) < 1);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(compute_ceilings_scale_from_their_own_clock),
		cmocka_unit_test(sums_are_those_worked_out_by_hand),
		cmocka_unit_test(what_was_not_measured_is_unknown),
		cmocka_unit_test(values_above_the_peak_have_a_note),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

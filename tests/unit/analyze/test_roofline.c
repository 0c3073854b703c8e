/* test_roofline.c - tests that the bound is the larger of compute time and
 * memory time, and that unknown values stay unknown. */
#include "roofline.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct platform platform(void)
{
	struct platform p = { .name = "made up", .bytes_per_s = 4e12 };
	for (enum dtype d = 0; d < DTYPES; d++)
		p.peak_flops[d] = NAN;
	p.peak_flops[DTYPE_BF16] = 148e12;
	p.peak_flops[DTYPE_FP8_E4M3] = 296e12;
	p.peak_flops[DTYPE_FP32] = 44e12;
	return p;
}

static void near(double a, double b)
{
	assert_true(fabs(a - b) <= 1e-12 * fabs(b));
}

/* 2388787200 / 148e12 = 16.140454… us; 6635536 B / 4e12 = 1.66 us: the first
 * shape of attention_forward on H20. */
static void test_compute(void **state)
{
	struct cost c = { .read_bytes = 4976656, .write_bytes = 1658880 };
	struct platform p = platform();
	struct bound b;
	(void)state;
	c.flops[DTYPE_BF16] = 2388787200;
	roofline(&c, &p, &b);
	near(b.sol_s, 0.016140454054054055e-3);
	near(b.compute_s, 0.016140454054054055e-3);
	near(b.memory_s, 6635536 / 4e12);
	near(b.ai, 2388787200.0 / 6635536.0);
	assert_int_equal(b.leg, LEG_COMPUTE);
}

/* Dtypes one after the other: 1e9/296e12 + 1e9/44e12 s. */
static void test_types_add(void **state)
{
	struct cost c = { .read_bytes = 4 };
	struct platform p = platform();
	struct bound b;
	(void)state;
	c.flops[DTYPE_FP8_E4M3] = c.flops[DTYPE_FP32] = 1000000000;
	roofline(&c, &p, &b);
	near(b.sol_s, 1e9 / 296e12 + 1e9 / 44e12);
	near(b.ai, 5e8);
	assert_int_equal(b.leg, LEG_COMPUTE);
}

static void test_memory(void **state)
{
	struct cost c = { .read_bytes = 3000000000, .write_bytes = 1000000000 };
	struct platform p = platform();
	struct bound b;
	(void)state;
	c.flops[DTYPE_INT32] = UINT64_MAX; /* no arithmetic that counts */
	roofline(&c, &p, &b);
	near(b.sol_s, 1e-3);
	assert_true(b.ai == 0);
	assert_int_equal(b.leg, LEG_MEMORY);
}

static void test_nothing(void **state)
{
	struct cost c = { 0 };
	struct platform p = platform();
	struct bound b;
	(void)state;
	roofline(&c, &p, &b);
	assert_true(b.sol_s == 0);
	assert_true(isnan(b.ai));
	assert_int_equal(b.leg, LEG_NONE);
}

static void why_is(const struct bound *b, const struct cost *c,
	const struct platform *p, const char *sentence)
{
	struct arena a = { 0 };
	assert_string_equal(roofline_why(b, c, p, &a), sentence);
	arena_release(&a);
}

/* Neither TF32 nor FP32 replaces FP64 or an unknown dtype. */
static void test_no_peak(void **state)
{
	static const struct {
		enum dtype type;
		const char *why;
	} rows[] = {
		{ DTYPE_FP64, "made up has no known peak for fp64" },
		{ DTYPE_TF32, "made up has no known peak for tf32" },
		{ DTYPE_UNKNOWN, "the type of its numbers is not known" },
	};
	struct platform p = platform();
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cost c = { .read_bytes = 1000 };
		struct bound b;
		c.flops[rows[i].type] = 1;
		c.flops[DTYPE_BF16] = 999;
		roofline(&c, &p, &b);
		assert_true(isnan(b.sol_s));
		assert_true(isnan(b.compute_s) && isnan(b.memory_s));
		assert_int_equal(b.lacking, rows[i].type);
		assert_int_equal(b.leg, LEG_NONE);
		near(b.ai, 1);
		why_is(&b, &c, &p, rows[i].why);
	}
}

static void test_no_bandwidth(void **state)
{
	struct cost c = { .read_bytes = 1000 };
	struct platform p = platform();
	struct bound b;
	(void)state;
	c.flops[DTYPE_BF16] = 148000000;
	p.bytes_per_s = NAN;
	roofline(&c, &p, &b);
	assert_true(isnan(b.sol_s));
	assert_int_equal(b.lacking, DTYPE_UNKNOWN);
	why_is(&b, &c, &p, "made up has no known bandwidth");
	c.read_bytes = 0; /* then no peak is needed */
	roofline(&c, &p, &b);
	assert_null(roofline_why(&b, &c, &p, NULL));
	near(b.sol_s, 1e-6);
	assert_true(isnan(b.ai));
}

/* 8,000,000 bytes over 8 ranks: 14,000,000 bus bytes at 450 GB/s take 31.11 us,
 * whatever the bandwidth of the memory is. */
static void test_link(void **state)
{
	struct cost c = { .link = { COLLECTIVE_ALL_REDUCE, 8000000, 8, 1 } };
	struct platform p = platform();
	struct bound b;
	(void)state;
	p.link_bytes_per_s = 450e9;
	p.network_bytes_per_s = NAN;
	p.bytes_per_s = NAN;
	roofline(&c, &p, &b);
	near(b.sol_s, 14e6 / 450e9);
	assert_int_equal(b.leg, LEG_LINK);
	assert_true(isnan(b.ai));
	assert_null(roofline_why(&b, &c, &p, NULL));
	c.link.nodes = 2; /* over 4 adapters on each node */
	roofline(&c, &p, &b);
	assert_true(isnan(b.sol_s));
	assert_int_equal(b.leg, LEG_NONE);
	why_is(&b, &c, &p,
		"the catalog has no peak of the link between nodes for made "
		"up");
	p.network_bytes_per_s = 25e9;
	roofline(&c, &p, &b);
	near(b.sol_s, 14e6 / 100e9);
	assert_int_equal(b.leg, LEG_LINK);
}

/* Two clocks behind peaks, and a peak without one. */
static struct platform clocked(void)
{
	struct platform p = platform();
	for (enum dtype d = 0; d < DTYPES; d++)
		p.peak_clock_mhz[d] = NAN;
	p.peak_clock_mhz[DTYPE_BF16] = 1830;
	p.peak_clock_mhz[DTYPE_FP32] = 1980;
	return p;
}

/* 1647 / 1830 = 0.9; bf16: 133.2 TFLOP/s. 1647 / 1980 of 44 are 36.6. */
static void test_at_clock(void **state)
{
	struct platform p = clocked(), out;
	(void)state;
	assert_true(roofline_at_clock(&p, 1647, &out));
	near(out.peak_flops[DTYPE_BF16], 133.2e12);
	near(out.peak_flops[DTYPE_FP32], 36.6e12);
	near(out.peak_flops[DTYPE_FP8_E4M3], 296e12);
	near(out.bytes_per_s, 4e12);
	assert_true(isnan(out.peak_flops[DTYPE_FP64]));
	/* faster than the data sheet assumes: not cut to 1 */
	assert_true(roofline_at_clock(&p, 2013, &out));
	near(out.peak_flops[DTYPE_BF16], 148e12 * 1.1);
	p.peak_clock_mhz[DTYPE_BF16] = p.peak_clock_mhz[DTYPE_FP32] = NAN;
	assert_false(roofline_at_clock(&p, 1647, &out));
	near(out.peak_flops[DTYPE_BF16], 148e12);
}

static void test_clock_text(void **state)
{
	struct platform p = clocked();
	struct arena a = { 0 };
	(void)state;
	assert_string_equal(roofline_clock_text(&p, 1647, &a),
		"compute peaks at the recorded SM clock of 1647 MHz: 90.0 % of "
		"the data sheet's for bf16, which assume 1830 MHz; 83.2 % of "
		"the data sheet's for fp32, which assume 1980 MHz; the data "
		"sheet's for fp8_e4m3, because the clock that they assume is "
		"unknown");
	p.peak_flops[DTYPE_FP8_E4M3] = NAN;
	p.peak_clock_mhz[DTYPE_FP32] = 1830;
	assert_string_equal(roofline_clock_text(&p, 1647, &a),
		"compute peaks at the recorded SM clock of 1647 MHz: 90.0 % of "
		"the data sheet's, which assume 1830 MHz");
	p.peak_clock_mhz[DTYPE_BF16] = p.peak_clock_mhz[DTYPE_FP32] = NAN;
	assert_null(roofline_clock_text(&p, 1647, &a));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_clock),
		cmocka_unit_test(test_clock_text),
		cmocka_unit_test(test_compute),
		cmocka_unit_test(test_types_add),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_no_peak),
		cmocka_unit_test(test_no_bandwidth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

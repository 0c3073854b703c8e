/* test_ceilings.c - tests documents of measured ceilings: what is read, what is
 * rejected with which sentence, and the platform that they make. */
#include "ceilings.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#define HEAD "{\"device\": \"NVIDIA H20\", \"measured_at\": \"now\", "
#define ONE(entry) HEAD "\"items\": [{" entry "}]}"
#define REST "\"unit\": \"bytes_per_s\", \"method\": \"m\""
#define COPY(more) ONE("\"measurement\": \"copy\", \"value\": 1, " REST more)
#define GEMM(more)                                  \
	ONE("\"measurement\": \"gemm\", \"unit\": " \
	    "\"flop_per_s\", \"method\": \"m\", "   \
	    "\"value\": 1" more)

static void document_is_read(void **state)
{
	static const char text[] = HEAD
		"\"driver\": \"580\", \"cuda\": null, \"items\": ["
		"{\"measurement\": \"gemm\", \"dtype\": \"bfloat16\", "
		"\"value\": 1e14, \"unit\": \"flop_per_s\", \"method\": \"m\", "
		"\"sm_clock_mhz\": 1830, \"memory_clock_mhz\": null}, "
		"{\"measurement\": \"triad\", \"value\": 3e12, " REST "}, "
		"{\"measurement\": \"copy\", \"value\": 2e12, " REST "}, "
		"{\"measurement\": \"all_reduce\", \"devices\": 4, "
		"\"value\": 9e12, " REST "}]}";
	struct arena a = { 0 };
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct ceilings is;

	(void)state;
	assert_true(ceilings_read(text, &a, &is, &e));
	assert_int_equal(is.n, 4);
	assert_string_equal(is.driver, "580");
	assert_null(is.cuda);
	assert_int_equal(is.rows[0].dtype, DTYPE_BF16);
	assert_int_equal(is.rows[0].sm_clock_mhz, 1830);
	assert_int_equal(is.rows[0].memory_clock_mhz, -1);
	assert_int_equal(is.rows[3].devices, 4);

	const struct platform *h20 = ceilings_platform(c, &is, &e);
	assert_string_equal(h20->name, "H20");
	struct platform p = ceilings_as_platform(&is, h20);
	assert_true(p.peak_flops[DTYPE_BF16] == 1e14);
	assert_true(isnan(p.peak_flops[DTYPE_FP16]));
	assert_true(p.bytes_per_s == 3e12);
	assert_int_equal(p.launch_floor_ns, h20->launch_floor_ns);
	assert_true(ceiling_peak(&is.rows[0], h20) == 148e12);
	assert_true(ceiling_peak(&is.rows[2], h20) == 4e12);
	assert_true(isnan(ceiling_peak(&is.rows[3], h20)));
	assert_true(isnan(ceiling_peak(&is.rows[0], NULL)));
	assert_true(ceiling_peak(&is.rows[3],
			    catalog_platform(c, "H200-SXM")) == 450e9);
	/* 9 TB/s, measured over four devices behind a switch */
	assert_true(p.link_bytes_per_s == 9e12);
	assert_int_equal(p.link_devices, 4);
	assert_true(isnan(p.network_bytes_per_s));
	/* a switch that adds up gives all-reduces more than others can have */
	struct link_use use = { COLLECTIVE_ALL_REDUCE, 1 << 20, 4, 1 };
	double peak;
	assert_int_equal(link_peak(&p, &use, &peak), LINK_KNOWN);
	assert_true(peak == 9e12);
	use.kind = COLLECTIVE_ALL_GATHER;
	assert_int_equal(link_peak(&p, &use, &peak), LINK_NOT_MEASURED);
	assert_true(isnan(peak));
	assert_non_null(link_fault_text(LINK_NOT_MEASURED, &p, &use, &a));
	assert_int_equal(link_peak(catalog_platform(c, "H200-SXM"), &use,
				 &peak),
		LINK_KNOWN);
	/* three of the seven links of a mesh, and a part of a cube mesh */
	assert_true(ceiling_peak(&is.rows[3], catalog_platform(c, "MI300X")) ==
		    192e9);
	assert_true(isnan(
		ceiling_peak(&is.rows[3], catalog_platform(c, "V100-SXM2"))));
	catalog_free(c);
	arena_release(&a);
}

static void nothing_measured_is_unknown(void **state)
{
	struct ceilings none = { 0 };
	struct platform p = ceilings_as_platform(&none, NULL);

	(void)state;
	assert_true(isnan(p.bytes_per_s));
	assert_true(isnan(p.link_bytes_per_s));
	assert_true(isnan(p.peak_flops[DTYPE_BF16]));
}

static const struct {
	const char *text, *says;
} wrong[] = {
	{ "7", "the list of ceilings is no JSON: line 1, column 1: '[' or '{' "
	       "expected near '7'" },
	{ "[]", "device: is not a text of 1 to 2000 bytes" },
	{ "{\"device\": \"\", \"items\": []}",
		"device: is not a text of 1 to 2000 bytes" },
	{ "{\"device\": \"a\", \"items\": []}",
		"measured_at: is not a text of 1 to 2000 bytes" },
	{ HEAD "\"items\": []}", "items: is empty; nothing was measured" },
	{ HEAD "\"driver\": 7, \"items\": []}",
		"driver: is not a text of 1 to 2000 bytes" },
	{ ONE(""), "items[0]: it has no 'measurement'" },
	{ ONE("\"measurement\": \"run\", " REST),
		"items[0], the ceiling 'run': 'measurement' is not gemm, copy, "
		"triad or all_reduce" },
	{ ONE("\"measurement\": \"copy\", " REST),
		"items[0], the ceiling 'copy': 'value' is not a number" },
	{ COPY(", \"speed\": 1"),
		"items[0], the ceiling 'copy': there is no key 'speed'; the "
		"keys are measurement dtype value unit method devices "
		"sm_clock_mhz memory_clock_mhz" },
	{ COPY(", \"dtype\": \"bf16\""),
		"items[0], the ceiling 'copy': only a gemm has a 'dtype'" },
	{ COPY(", \"devices\": 2"),
		"items[0], the ceiling 'copy': only an all_reduce has several "
		"'devices'" },
	{ COPY(", \"devices\": 0"),
		"items[0], the ceiling 'copy': 'devices' is not a whole number "
		"from 1 to 1024" },
	{ COPY(", \"sm_clock_mhz\": 1.5"),
		"items[0], the ceiling 'copy': 'sm_clock_mhz' is not a whole "
		"number from 1 to 100000" },
	{ ONE("\"measurement\": \"all_reduce\", \"value\": 1, " REST),
		"items[0], the ceiling 'all_reduce': an all_reduce needs "
		"'devices', at least 2" },
	{ GEMM(""), "items[0], the ceiling 'gemm': a gemm needs a 'dtype'" },
	{ GEMM(", \"dtype\": \"int32\""),
		"items[0], the ceiling 'gemm': 'int32' has no peak: it only "
		"moves bytes" },
	{ GEMM(", \"dtype\": \"quadruple\""),
		"items[0], the ceiling 'gemm': no dtype is called 'quadruple'" },
	{ ONE("\"measurement\": \"copy\", \"value\": 0, " REST),
		"items[0], the ceiling 'copy': 'value' is 0; it must be more "
		"than 0 and at most 1e24" },
	{ ONE("\"measurement\": \"copy\", \"value\": 2e24, " REST),
		"items[0], the ceiling 'copy': 'value' is 2e+24; it must be "
		"more than 0 and at most 1e24" },
	{ HEAD "\"items\": [{\"measurement\": \"copy\", \"value\": 1, " REST
	       "}, {\"measurement\": \"copy\", \"value\": 2, " REST "}]}",
		"items[1], the ceiling 'copy': items[0] has the same "
		"measurement" },
};

static void wrong_documents_are_rejected(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct arena a = { 0 };
		struct err e = { 0 };
		struct ceilings is;

		assert_false(ceilings_read(wrong[i].text, &a, &is, &e));
		assert_string_equal(e.text, wrong[i].says);
		assert_int_equal(e.code, ERR_INPUT);
		arena_release(&a);
	}
}

static void unknown_platforms_are_rejected(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct ceilings is = { .device = "board" };

	(void)state;
	assert_null(ceilings_platform(c, &is, &e));
	assert_string_equal(e.text,
		"device: the catalog has no platform for 'board'; add the "
		"device to a platform of the catalog");
	e = (struct err){ 0 };
	is.platform = "H20";
	assert_null(ceilings_platform(c, &is, &e));
	e = (struct err){ 0 };
	is.device = "NVIDIA A10";
	assert_null(ceilings_platform(c, &is, &e));
	assert_string_equal(e.text,
		"platform: 'NVIDIA A10' is of the platform 'A10', not 'H20'");
	e = (struct err){ 0 };
	is.platform = "Z9";
	assert_null(ceilings_platform(c, &is, &e));
	assert_string_equal(e.text,
		"platform: the catalog has no platform 'Z9'");
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(document_is_read),
		cmocka_unit_test(nothing_measured_is_unknown),
		cmocka_unit_test(wrong_documents_are_rejected),
		cmocka_unit_test(unknown_platforms_are_rejected),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}

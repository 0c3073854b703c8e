/* test_link.c - factors and peaks of collectives; every number is worked out by
 * hand. */
#include "cost.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* 8 ranks: 2 * 7/8, 7/8 and 1. */
static void test_factors(void **state)
{
	static const struct {
		enum collective_kind kind;
		double factor, bus_bytes; /* of 1,000 bytes; NaN unknown */
	} rows[] = {
		{ COLLECTIVE_ALL_REDUCE, 1.75, 1750 },
		{ COLLECTIVE_ALL_GATHER, 0.875, 875 },
		{ COLLECTIVE_REDUCE_SCATTER, 0.875, 875 },
		{ COLLECTIVE_ALL_TO_ALL, 0.875, 875 },
		{ COLLECTIVE_GATHER, 0.875, 875 },
		{ COLLECTIVE_SCATTER, 0.875, 875 },
		{ COLLECTIVE_BROADCAST, 1, 1000 },
		{ COLLECTIVE_REDUCE, 1, 1000 },
		{ COLLECTIVE_SEND, 1, 1000 },
		{ COLLECTIVE_RECEIVE, 1, 1000 },
		{ COLLECTIVE_SEND_RECEIVE, 1, 1000 },
		{ COLLECTIVE_BARRIER, NAN, NAN },
		{ COLLECTIVE_DISPATCH, NAN, NAN },
		{ COLLECTIVE_COMBINE, NAN, NAN },
		{ COLLECTIVE_UNKNOWN, NAN, 0 },
	};

	(void)state;
	assert_int_equal(sizeof rows / sizeof *rows, COLLECTIVE_KINDS);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct link_use u = { rows[i].kind, 1000, 8, 1 };
		double factor = link_factor(u.kind, 8),
		       bus = link_bus_bytes(&u);
		assert_true(factor == rows[i].factor ||
			    (isnan(factor) && isnan(rows[i].factor)));
		assert_true(bus == rows[i].bus_bytes ||
			    (isnan(bus) && isnan(rows[i].bus_bytes)));
	}
	assert_true(isnan(link_factor(COLLECTIVE_ALL_REDUCE, -1)));
	/* 4 bytes over 3 ranks: 16/3, not rounded */
	assert_true(link_bus_bytes(&(struct link_use){ COLLECTIVE_ALL_REDUCE, 4,
			    3, 1 }) == 16.0 / 3);
}

enum { SWITCH, MESH, PARTIAL, NOTHING };
static const struct platform platforms[] = {
	[SWITCH] = { .name = "S",
		.link_bytes_per_s = 450e9,
		.network_bytes_per_s = 50e9,
		.link_devices = 8 },
	[MESH] = { .name = "M",
		.link_bytes_per_s = 448e9,
		.network_bytes_per_s = NAN,
		.link_topology = LINK_MESH,
		.link_devices = 8 },
	[PARTIAL] = { .name = "P",
		.link_bytes_per_s = 150e9,
		.network_bytes_per_s = 10e9,
		.link_topology = LINK_PARTIAL,
		.link_devices = 8 },
	[NOTHING] = { .name = "N",
		.link_bytes_per_s = NAN,
		.network_bytes_per_s = 50e9 },
};

static const struct {
	int platform;
	enum collective_kind kind;
	int64_t ranks, nodes;
	double gb_s;
	const char *why;
} peaks[] = {
	/* a switch gives every group the whole rate */
	{ SWITCH, COLLECTIVE_ALL_REDUCE, 8, 1, 450, NULL },
	{ SWITCH, COLLECTIVE_ALL_REDUCE, 2, 1, 450, NULL },
	{ SWITCH, COLLECTIVE_SEND, 8, 1, 450, NULL },
	/* 64 GB/s to each of the others */
	{ MESH, COLLECTIVE_ALL_REDUCE, 8, 1, 448, NULL },
	{ MESH, COLLECTIVE_ALL_REDUCE, 4, 1, 192, NULL },
	{ MESH, COLLECTIVE_ALL_TO_ALL, 2, 1, 64, NULL },
	{ MESH, COLLECTIVE_SEND_RECEIVE, 2, 1, 64, NULL },
	{ MESH, COLLECTIVE_SEND_RECEIVE, 3, 1, 0,
		"it is unknown which two ranks of its group it connects" },
	{ MESH, COLLECTIVE_ALL_REDUCE, 16, 1, 0,
		"its group has 16 ranks, and M links 8 devices" },
	{ PARTIAL, COLLECTIVE_ALL_REDUCE, 8, 1, 150, NULL },
	{ PARTIAL, COLLECTIVE_ALL_REDUCE, 4, 1, 0,
		"how 4 of 8 devices of P are linked depends on which they "
		"are" },
	{ NOTHING, COLLECTIVE_ALL_REDUCE, 8, 1, 0,
		"the catalog has no peak of the link inside a node for N" },
	/* one rank on each node: one adapter */
	{ SWITCH, COLLECTIVE_ALL_REDUCE, 2, 2, 50, NULL },
	{ SWITCH, COLLECTIVE_ALL_TO_ALL, 4, 4, 50, NULL },
	{ SWITCH, COLLECTIVE_SEND, 2, 2, 50, NULL },
	{ NOTHING, COLLECTIVE_ALL_GATHER, 3, 3, 50, NULL },
	/* 4 and 8 ranks on each of two: as many adapters */
	{ SWITCH, COLLECTIVE_ALL_REDUCE, 8, 2, 200, NULL },
	{ SWITCH, COLLECTIVE_ALL_GATHER, 16, 2, 400, NULL },
	/* 12 adapters are faster than the links inside a node */
	{ SWITCH, COLLECTIVE_REDUCE_SCATTER, 24, 2, 450, NULL },
	{ NOTHING, COLLECTIVE_REDUCE_SCATTER, 24, 2, 600, NULL },
	{ SWITCH, COLLECTIVE_ALL_TO_ALL, 16, 2, 0,
		"how much of it leaves the nodes is unknown" },
	{ SWITCH, COLLECTIVE_SEND, 16, 2, 0,
		"it is unknown which two ranks of its group it connects" },
	{ MESH, COLLECTIVE_ALL_REDUCE, 16, 2, 0,
		"the catalog has no peak of the link between nodes for M" },
	{ SWITCH, COLLECTIVE_ALL_REDUCE, 1, 1, 0,
		"its group has one rank, so it moves nothing" },
	{ SWITCH, COLLECTIVE_BARRIER, 8, 1, 0,
		"what it moves over a link does not follow from its size" },
	{ SWITCH, COLLECTIVE_DISPATCH, 8, 1, 0,
		"what it moves over a link does not follow from its size" },
};

static void test_peaks(void **state)
{
	struct arena a = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++) {
		const struct platform *p = &platforms[peaks[i].platform];
		struct link_use u = { peaks[i].kind, 1000, peaks[i].ranks,
			peaks[i].nodes };
		double peak;
		enum link_fault fault = link_peak(p, &u, &peak);
		const char *why = link_fault_text(fault, p, &u, &a);
		if (peaks[i].why)
			assert_string_equal(why, peaks[i].why);
		else
			assert_null(why);
		assert_true(peaks[i].why ? isnan(peak)
					 : peak == peaks[i].gb_s * 1e9);
	}
	arena_release(&a);
}

/* Bus bytes of 2^21 and one less: classes 21 and 20. */
static void test_size_class(void **state)
{
	struct cost c = { .link = { COLLECTIVE_BROADCAST, 1 << 21, 4, 1 } };

	(void)state;
	assert_int_equal(cost_size_class(&c, LEG_LINK), 21);
	c.link.bytes--;
	assert_int_equal(cost_size_class(&c, LEG_LINK), 20);
	c.link.bytes = 0;
	assert_int_equal(cost_size_class(&c, LEG_LINK), -1);
	c.link.kind = COLLECTIVE_BARRIER;
	assert_int_equal(cost_size_class(&c, LEG_LINK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_factors),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_size_class),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_collective.c - tests kinds, sizes and bandwidths of collectives against
 * figures worked out by hand. */
#include "collective.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		enum collective_kind kind;
	} cases[] = {
		{ "allreduce", COLLECTIVE_ALL_REDUCE },
		{ "allreduce_coalesced", COLLECTIVE_ALL_REDUCE },
		{ "nccl:all_reduce", COLLECTIVE_ALL_REDUCE },
		{ "_allgather_base", COLLECTIVE_ALL_GATHER },
		{ "allgather_into_tensor_coalesced", COLLECTIVE_ALL_GATHER },
		{ "_reduce_scatter_base", COLLECTIVE_REDUCE_SCATTER },
		{ "reduce_scatter_tensor_coalesced",
			COLLECTIVE_REDUCE_SCATTER },
		{ "all_to_allv", COLLECTIVE_ALL_TO_ALL },
		{ "nccl:all_to_all", COLLECTIVE_ALL_TO_ALL },
		{ "_broadcast_oop", COLLECTIVE_BROADCAST },
		{ "_reduce_oop", COLLECTIVE_REDUCE },
		{ "gather", COLLECTIVE_GATHER },
		{ "scatter", COLLECTIVE_SCATTER },
		{ "send", COLLECTIVE_SEND },
		{ "nccl:recv 0<-1", COLLECTIVE_RECEIVE },
		{ "barrier", COLLECTIVE_BARRIER },
		{ "wait", COLLECTIVE_UNKNOWN },
		{ "nccl:coalesced", COLLECTIVE_UNKNOWN },
		{ "", COLLECTIVE_UNKNOWN },
		{ "ncclDevKernel_Generic(ncclDevComm*)", COLLECTIVE_UNKNOWN },
		{ "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)",
			COLLECTIVE_ALL_REDUCE },
		{ "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
			COLLECTIVE_SEND_RECEIVE },
		{ "void vllm::cross_device_reduce_2stage<__half, 8>",
			COLLECTIVE_ALL_REDUCE },
		{ "void dpsk::ep::internode::combine<false, 8>",
			COLLECTIVE_COMBINE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(collective_kind_of(cases[i].name),
			cases[i].kind);
	assert_string_equal(collective_word(COLLECTIVE_ALL_TO_ALL),
		"all_to_all");
	assert_null(collective_word(COLLECTIVE_UNKNOWN));
}

/* As nccl-tests count: all-gather the whole output, reduce-scatter the whole
 * input, all-to-all the input of one rank. */
static void test_elements(void **state)
{
	(void)state;
	assert_int_equal(collective_elements(COLLECTIVE_ALL_REDUCE, 5, 5, 4),
		5);
	assert_int_equal(collective_elements(COLLECTIVE_ALL_GATHER, 5, 20, 4),
		20);
	assert_int_equal(collective_elements(COLLECTIVE_ALL_GATHER, 5, -1, 4),
		20);
	assert_int_equal(collective_elements(COLLECTIVE_ALL_GATHER, 5, -1, -1),
		-1);
	assert_int_equal(collective_elements(COLLECTIVE_ALL_GATHER,
				 INT64_MAX / 2, -1, 4),
		-1);
	assert_int_equal(collective_elements(COLLECTIVE_REDUCE_SCATTER, 20, 5,
				 4),
		20);
	assert_int_equal(collective_elements(COLLECTIVE_REDUCE_SCATTER, -1, 5,
				 4),
		20);
	assert_int_equal(collective_elements(COLLECTIVE_ALL_TO_ALL, 20, 24, 4),
		20);
	assert_int_equal(collective_elements(COLLECTIVE_GATHER, 5, -1, 4), 20);
	assert_int_equal(collective_elements(COLLECTIVE_SCATTER, 20, 5, 4), 20);
	assert_int_equal(collective_elements(COLLECTIVE_RECEIVE, -1, 7, 4), 7);
	assert_int_equal(collective_elements(COLLECTIVE_UNKNOWN, 7, 7, 4), -1);
	assert_int_equal(collective_bytes(9, DTYPE_BF16), 18);
	assert_int_equal(collective_bytes(3, DTYPE_INT4), 2);
	assert_int_equal(collective_bytes(3, DTYPE_UNKNOWN), -1);
	assert_int_equal(collective_bytes(-1, DTYPE_BF16), -1);
	assert_int_equal(collective_bytes(INT64_MAX / 2, DTYPE_FP32), -1);
}

/* 1,000 bytes over 8 ranks in 100 ns are 10 GB/s; an all-reduce's factor is
 * 2 · 7/8, that of an all-gather 7/8. */
static void test_bandwidth(void **state)
{
	struct collective_call c = { .kind = COLLECTIVE_ALL_REDUCE,
		.bytes = 1000,
		.elements = 500,
		.group_size = 8 };

	(void)state;
	assert_true(collective_busbw_gb_s(&c, 1, 100) == 17.5);
	assert_true(collective_busbw_gb_s(&c, 3, 300) == 17.5);
	assert_true(isnan(collective_busbw_gb_s(&c, 1, 0)));
	c.kind = COLLECTIVE_ALL_GATHER;
	assert_true(collective_busbw_gb_s(&c, 1, 100) == 8.75);
	c.kind = COLLECTIVE_SEND;
	assert_true(collective_busbw_gb_s(&c, 1, 100) == 10);
	c.kind = COLLECTIVE_ALL_TO_ALL;
	assert_true(isnan(collective_busbw_gb_s(&c, 1, 100)));
	c.split = COLLECTIVE_SPLIT_UNEVEN;
	assert_true(isnan(collective_busbw_gb_s(&c, 1, 100)));
	c.split = COLLECTIVE_SPLIT_EVEN;
	assert_true(collective_busbw_gb_s(&c, 1, 100) == 8.75);
	c.group_size = -1;
	assert_true(isnan(collective_busbw_gb_s(&c, 1, 100)));
	c.kind = COLLECTIVE_DISPATCH;
	assert_true(isnan(collective_busbw_gb_s(&c, 1, 100)));
	assert_null(collective_bytes_reason(&c));
	c.bytes = -1;
	assert_string_equal(collective_bytes_reason(&c),
		"no operator states its element type");
	c.elements = -1;
	assert_string_equal(collective_bytes_reason(&c),
		"the trace does not state its elements or ranks");
	c.group_size = 8;
	assert_string_equal(collective_bytes_reason(&c),
		"the trace does not state its elements");
}

static void test_bus_bytes(void **state)
{
	struct collective_call c = { .kind = COLLECTIVE_ALL_TO_ALL,
		.bytes = 1000,
		.group_size = 8 };

	(void)state;
	assert_true(collective_is_uneven(&c));
	assert_true(isnan(collective_bus_bytes(&c)));
	c.split = COLLECTIVE_SPLIT_EVEN;
	assert_false(collective_is_uneven(&c));
	assert_true(collective_bus_bytes(&c) == 875);
	c.bytes = -1;
	assert_true(isnan(collective_bus_bytes(&c)));
	c.bytes = 1000;
	c.kind = COLLECTIVE_ALL_REDUCE;
	c.split = COLLECTIVE_SPLIT_UNEVEN;
	assert_false(collective_is_uneven(&c));
	assert_true(collective_bus_bytes(&c) == 1750);
	/* One rank sends nothing. */
	c.group_size = 1;
	assert_true(isnan(collective_bus_bytes(&c)));
}

static void test_kind_from_word(void **state)
{
	(void)state;
	assert_int_equal(collective_kind_from("all_to_all"),
		COLLECTIVE_ALL_TO_ALL);
	assert_int_equal(collective_kind_from("AllReduce"), COLLECTIVE_UNKNOWN);
	assert_int_equal(collective_kind_from(""), COLLECTIVE_UNKNOWN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_bandwidth),
		cmocka_unit_test(test_bus_bytes),
		cmocka_unit_test(test_kind_from_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

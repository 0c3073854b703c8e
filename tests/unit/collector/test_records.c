/* test_records.c - tests that records of every version are read, and that the
 * size of an unreadable rest is reported in bytes. */
#include "made.h"
#include "record_fields.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct layout *walked; /* the sizes of the made-up libcupti */

static int walk(uint8_t *buffer, size_t bytes, void **record)
{
	struct record r = { 0 };
	size_t unreadable;
	uint8_t *at = *record;
	if (at) {
		uint32_t kind;
		memcpy(&kind, at, sizeof kind);
		if (kind >= RECORD_KINDS || !walked->size[kind])
			return CUPTI_ERROR_INVALID_KIND;
		r = (struct record){ kind, at, walked->size[kind] };
	}
	if (!records_next(walked, buffer, bytes, &r, &unreadable))
		return unreadable ? CUPTI_ERROR_INVALID_KIND
				  : CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = r.at;
	return CUPTI_SUCCESS;
}

static int walk_nothing(uint8_t *buffer, size_t bytes, void **record)
{
	(void)buffer, (void)bytes, (void)record;
	return CUPTI_ERROR_NOT_INITIALIZED;
}

/* A libcupti that succeeds and does not advance, or advances too far. */
static int walk_nowhere(uint8_t *buffer, size_t bytes, void **record)
{
	(void)buffer, (void)bytes, (void)record;
	return CUPTI_SUCCESS;
}

static int walk_beyond(uint8_t *buffer, size_t bytes, void **record)
{
	*record = buffer + bytes;
	return CUPTI_SUCCESS;
}

static void sizes_are_measured(void **state)
{
	(void)state;
	for (int v = 0; v < MADE_VERSIONS; v++) {
		struct layout is, ought = made_layout(made_versions[v]);
		walked = &ought;
		assert_true(layout_learn(&is, walk, made_versions[v]));
		assert_int_equal(is.version, made_versions[v]);
		assert_memory_equal(is.size, ought.size, sizeof is.size);
	}
}

static void nothing_is_measured(void **state)
{
	static records_next_fn *const none[] = { walk_nothing, walk_nowhere,
		walk_beyond };
	struct layout l;
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_false(layout_learn(&l, none[i], 130001));
}

static void a_kernel_record_without_room_for_a_name_is_skipped(void **state)
{
	struct layout is, ought = made_layout(130001);
	(void)state;
	ought.size[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = 104;
	ought.size[CUPTI_ACTIVITY_KIND_RUNTIME] = 42; /* nothing is so */
	walked = &ought;
	assert_true(layout_learn(&is, walk, 130001));
	assert_int_equal(is.size[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL], 0);
	assert_int_equal(is.size[CUPTI_ACTIVITY_KIND_RUNTIME], 0);
	assert_int_equal(is.size[CUPTI_ACTIVITY_KIND_MEMSET], 88);
}

static void fields_of_a_kernel(const struct record *r, int first)
{
	struct kernel_record k;
	record_kernel(r, &k);
	assert_int_equal(k.start_ns, 1000 + first);
	assert_int_equal(k.end_ns, 1500 + first);
	assert_int_equal(k.name, (uintptr_t) "sgemm");
	assert_int_equal(k.device, 1);
	assert_int_equal(k.context, 2);
	assert_int_equal(k.stream, 7);
	assert_int_equal(k.correlation, 41);
	assert_int_equal(k.launch.grid[0], 128);
	assert_int_equal(k.launch.grid[2], 1);
	assert_int_equal(k.launch.block[0], 256);
	assert_int_equal(k.launch.static_shared, 1024);
	assert_int_equal(k.launch.dynamic_shared, 2048);
	assert_int_equal(k.registers, 64);
	assert_int_equal(k.graph_node, INT64_C(3) << 32 | 9);
	assert_int_equal(k.graph, 3);
	assert_ptr_equal(record_name(r), r->at + 104);
}

/* Kernels of each version, with another record between them. */
static void kernels_of_each_version(void **state)
{
	struct made m;
	struct record r;
	size_t unreadable;
	(void)state;
	for (int v = 0; v < MADE_VERSIONS; v++) {
		made_init(&m, made_versions[v]);
		for (unsigned i = 0; i < 2; i++) {
			CUpti_ActivityKernel8 *k =
				made_kernel(&m, "sgemm", 1000 + i, 1500 + i);
			k->graphNodeId = UINT64_C(3) << 32 | 9;
			k->graphId = 3;
			made_call(&m, i, 211, 1, 2);
		}
		r.at = NULL;
		for (int i = 0; i < 2; i++) {
			assert_true(records_next(&m.layout, m.bytes, m.at, &r,
				&unreadable));
			assert_int_equal(r.kind, 10);
			fields_of_a_kernel(&r, i);
			assert_true(records_next(&m.layout, m.bytes, m.at, &r,
				&unreadable));
			assert_null(record_name(&r));
		}
		assert_false(records_next(&m.layout, m.bytes, m.at, &r,
			&unreadable));
		assert_int_equal(unreadable, 0);
	}
}

/* A libcupti older than graphs: the missing fields are 0. */
static void a_kernel_without_graph(void **state)
{
	struct made m;
	struct record r = { 0 };
	struct kernel_record k;
	size_t unreadable;
	(void)state;
	made_init(&m, 18);
	m.layout.size[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] = 144;
	made_kernel(&m, "sgemm", 1, 2);
	memset(m.bytes + m.at, 0xff, 64);
	assert_true(records_next(&m.layout, m.bytes, m.at, &r, &unreadable));
	record_kernel(&r, &k);
	assert_int_equal(k.end_ns, 2);
	assert_int_equal(k.graph_node, 0);
	assert_int_equal(k.graph, 0);
}

/* The end of a buffer whose rest is unreadable. */
static const struct rest {
	const char *odd;
	uint32_t kind;
	size_t bytes; /* bytes; 0: as many as needed */
	size_t unreadable;
} rests[] = {
	{ "a kind of which no size is known", 54, 64, 64 },
	{ "kind 0, which CUPTI has not written", 0, 40, 40 },
	{ "a kind beyond all that can be", 4711, 8, 8 },
	{ "a record cut off", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 208, 208 },
	{ "less than a kind", CUPTI_ACTIVITY_KIND_RUNTIME, 3, 3 },
	{ "a known kind that nobody reads", 39, 0, 0 },
	{ "nothing", CUPTI_ACTIVITY_KIND_RUNTIME, 0, 0 },
};

static void the_rest_is_unreadable(void **state)
{
	struct made m;
	(void)state;
	for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
		struct record r = { 0 };
		size_t unreadable, n = 0;
		made_init(&m, 130001);
		made_call(&m, false, 211, 1, 2);
		memcpy(m.bytes + m.at, &rests[i].kind, 4);
		m.at += rests[i].bytes ? rests[i].bytes
				       : m.layout.size[rests[i].kind];
		while (records_next(&m.layout, m.bytes, m.at, &r, &unreadable))
			n++;
		if (unreadable != rests[i].unreadable ||
			n != (rests[i].unreadable ? 1 : 2))
			fail_msg("%s: %zu records, %zu bytes are left",
				rests[i].odd, n, unreadable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_measured),
		cmocka_unit_test(nothing_is_measured),
		cmocka_unit_test(
			a_kernel_record_without_room_for_a_name_is_skipped),
		cmocka_unit_test(kernels_of_each_version),
		cmocka_unit_test(a_kernel_without_graph),
		cmocka_unit_test(the_rest_is_unreadable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_record_fields.c - each field of a record has the value that CUPTI
 * wrote. */
#include "made.h"
#include "record_fields.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void copies_sets_and_peers(void **state)
{
	struct made m;
	struct record r = { 0 };
	struct copy_record c;
	size_t unreadable;
	(void)state;
	made_init(&m, 24);
	CUpti_ActivityMemcpy5 *copy = made_add(&m, CUPTI_ACTIVITY_KIND_MEMCPY);
	*copy = (CUpti_ActivityMemcpy5){ .kind = CUPTI_ACTIVITY_KIND_MEMCPY,
		.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
		.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
		.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.bytes = 77,
		.start = 5,
		.end = 9,
		.deviceId = 1,
		.streamId = 2,
		.correlationId = 3,
		.graphNodeId = 4,
		.graphId = 5 };
	CUpti_ActivityMemcpyPtoP4 *peer =
		made_add(&m, CUPTI_ACTIVITY_KIND_MEMCPY2);
	*peer = (CUpti_ActivityMemcpyPtoP4){
		.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
		.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
		.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
		.bytes = 78,
		.start = 6,
		.end = 10,
		.deviceId = 2,
		.streamId = 3,
		.correlationId = 4,
		.graphNodeId = 5,
		.graphId = 6
	};
	CUpti_ActivityMemset4 *set = made_add(&m, CUPTI_ACTIVITY_KIND_MEMSET);
	*set = (CUpti_ActivityMemset4){ .kind = CUPTI_ACTIVITY_KIND_MEMSET,
		.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
		.bytes = 79,
		.start = 7,
		.end = 11,
		.deviceId = 3,
		.streamId = 4,
		.correlationId = 5,
		.graphNodeId = 6,
		.graphId = 7 };
	static const struct copy_record ought[] = {
		{ 5, 9, 77, 4, 1, 2, 3, 5, 1, 1, 3, false, false },
		{ 6, 10, 78, 5, 2, 3, 4, 6, 10, 3, 3, false, true },
		{ 7, 11, 79, 6, 3, 4, 5, 7, 0, 0, 5, true, false },
	};
	for (int i = 0; i < 3; i++) {
		assert_true(records_next(&m.layout, m.bytes, m.at, &r,
			&unreadable));
		memset(&c, 0, sizeof c);
		record_copy(&r, &c);
		assert_int_equal(c.start_ns, ought[i].start_ns);
		assert_int_equal(c.end_ns, ought[i].end_ns);
		assert_int_equal(c.bytes, ought[i].bytes);
		assert_int_equal(c.graph_node, ought[i].graph_node);
		assert_int_equal(c.device, ought[i].device);
		assert_int_equal(c.stream, ought[i].stream);
		assert_int_equal(c.correlation, ought[i].correlation);
		assert_int_equal(c.graph, ought[i].graph);
		assert_int_equal(c.copy_kind, ought[i].copy_kind);
		assert_int_equal(c.src_kind, ought[i].src_kind);
		assert_int_equal(c.dst_kind, ought[i].dst_kind);
		assert_int_equal(c.set, ought[i].set);
		assert_int_equal(c.peer, ought[i].peer);
	}
}

static void calls_graphs_and_overheads(void **state)
{
	struct made m;
	struct record r = { 0 };
	struct api_record a;
	struct graph_record g;
	struct overhead_record o;
	size_t unreadable;
	(void)state;
	made_init(&m, 130001);
	made_call(&m, true, 307, 10, 20);
	CUpti_ActivityGraphTrace *graph =
		made_add(&m, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	graph->correlationId = 8;
	graph->start = 30;
	graph->end = 40;
	graph->deviceId = 1;
	graph->graphId = 6;
	graph->streamId = 13;
	for (int thread = 0; thread < 2; thread++) {
		CUpti_ActivityOverhead *over =
			made_add(&m, CUPTI_ACTIVITY_KIND_OVERHEAD);
		over->overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
		over->objectKind = thread ? CUPTI_ACTIVITY_OBJECT_THREAD
					  : CUPTI_ACTIVITY_OBJECT_DEVICE;
		over->objectId.pt.processId = 100;
		over->objectId.pt.threadId = 102;
		over->start = 50;
		over->end = 60;
	}
	assert_true(records_next(&m.layout, m.bytes, m.at, &r, &unreadable));
	record_api(&r, &a);
	assert_true(a.driver);
	assert_int_equal(a.cbid, 307);
	assert_int_equal(a.start_ns, 10);
	assert_int_equal(a.end_ns, 20);
	assert_int_equal(a.process, 100);
	assert_int_equal(a.thread, 101);
	assert_int_equal(a.correlation, 41);
	assert_true(records_next(&m.layout, m.bytes, m.at, &r, &unreadable));
	record_graph(&r, &g);
	assert_int_equal(g.correlation, 8);
	assert_int_equal(g.start_ns, 30);
	assert_int_equal(g.end_ns, 40);
	assert_int_equal(g.device, 1);
	assert_int_equal(g.graph, 6);
	assert_int_equal(g.stream, 13);
	for (uint32_t thread = 0; thread < 2; thread++) {
		assert_true(records_next(&m.layout, m.bytes, m.at, &r,
			&unreadable));
		record_overhead(&r, &o);
		assert_int_equal(o.what,
			CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH);
		assert_int_equal(o.start_ns, 50);
		assert_int_equal(o.end_ns, 60);
		assert_int_equal(o.thread, thread ? 102 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_sets_and_peers),
		cmocka_unit_test(calls_graphs_and_overheads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

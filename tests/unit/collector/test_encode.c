/* test_encode.c - each record becomes a row or is counted. */
#include "encode_rig.h"

static void kernels(void **state)
{
	(void)state;
	for (int v = 0; v < MADE_VERSIONS; v++) {
		struct rig *r = rig_new(made_versions[v]);
		made_kernel(&r->made, pinned(r, "sgemm"), 1000, 1500);
		CUpti_ActivityKernel8 *k =
			made_kernel(&r->made, pinned(r, "sgemm"), 1600, 1600);
		k->graphId = 3;
		k->graphNodeId = UINT64_C(3) << 32 | 9;
		k = made_kernel(&r->made, pinned(r, "dgemm"), 1700, 1800);
		k->gridX = 64;
		assert_true(rows_match(r,
			"kernel process=0 start_ns=1000 dur_ns=500 "
			"name='~sgemm' device=1 stream=7 correlation=41 "
			"external_id=-1 graph_id=-1 graph_node=-1 launch=#1\n"
			"kernel process=0 start_ns=1600 dur_ns=0 "
			"name='~sgemm' device=1 stream=7 correlation=41 "
			"external_id=-1 graph_id=3 graph_node=12884901897 "
			"launch=#1\n"
			"kernel process=0 start_ns=1700 dur_ns=100 "
			"name='~dgemm' device=1 stream=7 correlation=41 "
			"external_id=-1 graph_id=-1 graph_node=-1 "
			"launch=#2\n"));
		assert_int_equal(r->sum.kernels, 3);
		assert_int_equal(r->sum.odd, 0);
		assert_int_equal(fake.shapes_n, 2);
		const struct kst_shape ought = { { 128, 1, 1 }, { 256, 1, 1 },
			64, 3072 };
		assert_memory_equal(&fake.shapes[0], &ought, sizeof ought);
		assert_int_equal(fake.shapes[1].grid[0], 64);
		rig_free(r);
	}
}

static void copies_and_sets(void **state)
{
	struct rig *r = rig_new(130001);
	(void)state;
	CUpti_ActivityMemcpy5 *c =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_MEMCPY);
	c->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
	c->srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
	c->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	c->bytes = 4096;
	c->start = 10;
	c->end = 30;
	c->correlationId = 5;
	CUpti_ActivityMemcpyPtoP4 *p =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_MEMCPY2);
	p->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
	p->srcKind = p->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	p->bytes = 8;
	p->start = 40;
	p->end = 41;
	CUpti_ActivityMemset4 *s =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_MEMSET);
	s->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	s->bytes = 16;
	s->start = 50;
	s->end = 52;
	c = made_add(&r->made, CUPTI_ACTIVITY_KIND_MEMCPY);
	c->copyKind = 200; /* of a future libcupti */
	c->srcKind = 99;
	c->start = 60;
	c->end = 61;
	c->bytes = UINT64_MAX;
	assert_true(rows_match(r,
		"copy process=0 start_ns=10 dur_ns=20 name='Memcpy HtoD "
		"(Pageable -> Device)' device=0 stream=0 correlation=5 "
		"external_id=-1 bytes=4096 is_set=0\n"
		"copy process=0 start_ns=40 dur_ns=1 name='Memcpy PtoP "
		"(Device -> Device)' device=0 stream=0 correlation=0 "
		"external_id=-1 bytes=8 is_set=0\n"
		"copy process=0 start_ns=50 dur_ns=2 name='Memset (Device)' "
		"device=0 stream=0 correlation=0 external_id=-1 bytes=16 "
		"is_set=1\n"
		"copy process=0 start_ns=60 dur_ns=1 name='Memcpy <unknown> "
		"(Unrecognized -> Unknown)' device=0 stream=0 correlation=0 "
		"external_id=-1 bytes=-1 is_set=0\n"));
	assert_int_equal(r->sum.copies, 4);
	rig_free(r);
}

static void calls(void **state)
{
	struct rig *r = rig_new(130001);
	(void)state;
	made_call(&r->made, false, 211, 10, 15);
	made_call(&r->made, false, 506, 20, 25);
	made_call(&r->made, false, 3, 30, 31); /* cudaGetDevice */
	made_call(&r->made, true, 307, 40, 45);
	made_call(&r->made, false, 31, 50, 55);
	made_call(&r->made, false, 3, 60, 61);
	made_call(&r->made, true, 999, 70, 71); /* an unknown number */
	made_call(&r->made, false, 70000, 80, 81)->threadId = 0;
#define REST "correlation=41 external_id=-1 kernel='-' launch=#0\n"
	assert_true(rows_match(r,
		"call process=0 start_ns=10 dur_ns=5 name='cudaLaunchKernel' "
		"thread='101' " REST "call process=0 start_ns=20 dur_ns=5 "
		"name='__cudaLaunchKernel_ptsz' thread='101' " REST
		"call process=0 start_ns=40 dur_ns=5 name='cuLaunchKernel' "
		"thread='101' " REST
		"call process=0 start_ns=50 dur_ns=5 name='cudaMemcpy' "
		"thread='101' " REST
		"call process=0 start_ns=70 dur_ns=1 name='driver call 999' "
		"thread='101' " REST
		"call process=0 start_ns=80 dur_ns=1 name='runtime call "
		"70000' thread='-' " REST));
#undef REST
	assert_int_equal(r->sum.calls, 6);
	assert_int_equal(r->sum.quiet, 2);
	assert_int_equal(names_read, 6);
	rig_free(r);
}

static void graphs_and_overheads(void **state)
{
	struct rig *r = rig_new(130001);
	(void)state;
	CUpti_ActivityGraphTrace *g =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	g->start = 10;
	g->end = 90;
	g->graphId = 4;
	g->streamId = 7;
	g->correlationId = 6;
	CUpti_ActivityOverhead *o =
		made_add(&r->made, CUPTI_ACTIVITY_KIND_OVERHEAD);
	o->overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
	o->objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
	o->objectId.pt.threadId = 12;
	o->start = 20;
	o->end = 25;
	made_add(&r->made, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
	assert_true(rows_match(r,
		"graph process=0 start_ns=10 dur_ns=80 name='CUDA graph 4' "
		"device=0 stream=7 correlation=6 graph_id=4 graph_exec=-1\n"
		"range process=0 start_ns=20 dur_ns=5 name='Buffer Flush' "
		"kind=4 thread='12' domain='CUPTI' payload='-' id=-1 "
		"parent=-1\n"));
	assert_int_equal(r->sum.graphs, 1);
	assert_int_equal(r->sum.overheads, 1);
	assert_int_equal(r->sum.unknown, 1);
	rig_free(r);
}

/* Invalid times; the buffer arrived at 777. */
static const struct odd_times {
	const char *odd;
	uint64_t start, end;
	int64_t start_ns, dur_ns;
} odd_times[] = {
	{ "the kernel had not run when CUPTI gave up waiting", 0, 0, 777, -1 },
	{ "no end", 5, 0, 5, -1 },
	{ "no start", 0, 9, 9, -1 },
	{ "reversed", 9, 5, 9, -1 },
	{ "no time of this age of the world", UINT64_MAX, UINT64_MAX, 777, -1 },
	{ "an end beyond all", 5, UINT64_MAX, 5, -1 },
	{ "none of these, and short", 5, 5, 5, 0 },
};

static void times_missing_or_reversed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof odd_times / sizeof *odd_times; i++) {
		const struct odd_times *o = &odd_times[i];
		struct rig *r = rig_new(130001);
		char line[512];
		print_message("%s\n", o->odd);
		made_kernel(&r->made, NULL, o->start, o->end);
		snprintf(line, sizeof line,
			"kernel process=0 start_ns=%lld dur_ns=%lld name='-' "
			"device=1 stream=7 correlation=41 external_id=-1 "
			"graph_id=-1 graph_node=-1 launch=#1\n",
			(long long)o->start_ns, (long long)o->dur_ns);
		rows_match(r, line);
		assert_int_equal(r->sum.kernels, 1);
		assert_int_equal(r->sum.odd, o->dur_ns < 0);
		rig_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels),
		cmocka_unit_test(copies_and_sets),
		cmocka_unit_test(calls),
		cmocka_unit_test(graphs_and_overheads),
		cmocka_unit_test(times_missing_or_reversed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

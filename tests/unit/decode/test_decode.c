/* test_decode.c - tests that rows of every kind are decoded from text to
 * columns. */
#include "fixture.h"

static void test_kernel(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"{\"schemaVersion\": 1, \"traceEvents\": ["
		"{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k<1>\", "
		"\"pid\": 3, \"tid\": 20, \"ts\": 100.25, \"dur\": 2.125, "
		"\"args\": {\"External id\": 11, \"device\": 2, \"stream\": 7, "
		"\"correlation\": 5, \"registers per thread\": 32, "
		"\"shared memory\": 1024, \"grid\": [1, 2, 3], \"block\": "
		"[32, 4, 1], \"graph id\": 8, \"graph node id\": 9}}]}");
	const struct kernel_rows *k = &d.trace.kernel;
	const struct launch_shape *s =
		trace_launch_shape_at(&d.trace, k->launch[0]);
	assert_int_equal(k->n, 1);
	assert_int_equal(k->start_ns[0], 0);
	assert_int_equal(d.trace.base_ns, 100250);
	assert_int_equal(k->dur_ns[0], 2125);
	assert_string_equal(text_of(&d, k->name[0]), "k<1>");
	assert_int_equal(k->device[0], 2);
	assert_int_equal(k->stream[0], 7);
	assert_int_equal(k->correlation[0], 5);
	assert_int_equal(k->external_id[0], 11);
	assert_int_equal(k->graph_id[0], 8);
	assert_int_equal(k->graph_node[0], 9);
	assert_int_equal(s->grid[2], 3);
	assert_int_equal(s->block[0], 32);
	assert_int_equal(s->registers, 32);
	assert_int_equal(s->shared_bytes, 1024);
	assert_string_equal(d.trace.format, "kineto");
	assert_string_equal(d.trace.framework, "pytorch");
	decoded_release(&d);
}

/* Only the required fields are present, and all others are unknown. Then the
 * device is the pid and the stream is the tid. */
static void test_bare(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,"
		"\"tid\":\"stream 13\",\"ts\":5,\"dur\":1},"
		"{\"ph\":\"X\",\"cat\":\"gpu_memset\",\"name\":\"s\",\"pid\":"
		"2,\"tid\":4,\"ts\":6,\"dur\":1}]");
	const struct kernel_rows *k = &d.trace.kernel;
	assert_int_equal(k->device[0], 1);
	assert_int_equal(k->stream[0], 13);
	assert_int_equal(k->correlation[0], -1);
	assert_int_equal(k->external_id[0], -1);
	assert_int_equal(k->graph_id[0], -1);
	assert_int_equal(k->launch[0], 0);
	assert_int_equal(d.trace.copy.device[0], 2);
	assert_int_equal(d.trace.copy.stream[0], 4);
	assert_int_equal(d.trace.copy.bytes[0], -1);
	assert_int_equal(d.trace.copy.is_set[0], 1);
	assert_null(d.trace.framework);
	decoded_release(&d);
}

static void test_host(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\","
		"\"pid\":9,\"tid\":\"12\",\"ts\":1,\"dur\":5,\"args\":{"
		"\"External id\":4,\"Fwd thread id\":0,\"Sequence number\":0,"
		"\"Input type\":[ \"float\", \"c10::Half\" ],"
		"\"Input Dims\":[ [ 2,\n3 ], [ ] ],"
		"\"Concrete Inputs\":[ \"\",\n\"[1, 1]\" ]}},"
		"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::view\","
		"\"pid\":9,\"tid\":\"12\",\"ts\":2,\"dur\":1,\"args\":{"
		"\"Concrete Inputs\":[\"\",\"[6]\"]}},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
		"\"hipLaunchKernel\",\"pid\":9,\"tid\":12,\"ts\":2,\"dur\":1,"
		"\"args\":{\"correlation\":7,\"kernel\":\"kern\",\"grid\":["
		"4,1,1],\"block\":[64,1,1]}},"
		"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":"
		"\"nn.Module: Linear_0\",\"pid\":9,\"tid\":12,\"ts\":0,\"dur\":"
		"9,\"args\":{\"Python id\":3,\"Python parent id\":null}},"
		"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\","
		"\"pid\":9,\"tid\":12,\"ts\":1,\"dur\":7,\"args\":{"
		"\"Python id\":4,\"Python parent id\":3}},"
		"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"step\","
		"\"pid\":9,\"tid\":12,\"ts\":0,\"dur\":10,\"args\":{"
		"\"External id\":1}}]");
	const struct op_rows *o = &d.trace.op;
	const struct call_rows *c = &d.trace.call;
	const struct range_rows *r = &d.trace.range;
	assert_string_equal(text_of(&d, o->dims[0]), "[[2,3],[]]");
	assert_string_equal(text_of(&d, o->types[0]),
		"[\"float\",\"c10::Half\"]");
	assert_string_equal(text_of(&d, o->concrete[0]), "[\"\",\"[1, 1]\"]");
	/* the values of a view's arguments are not stored */
	assert_int_equal(o->n, 2);
	assert_int_equal(o->concrete[1], 0);
	assert_int_equal(o->numbered[0], 1);
	assert_int_equal(o->numbered[1], 0);
	assert_string_equal(text_of(&d, o->thread[0]), "12");
	assert_int_equal(o->thread[0], c->thread[0]);
	assert_string_equal(text_of(&d, c->kernel[0]), "kern");
	assert_int_equal(trace_launch_shape_at(&d.trace, c->launch[0])->grid[0],
		4);
	assert_int_equal(r->n, 3);
	assert_int_equal(r->kind[0], RANGE_MODULE);
	assert_int_equal(r->id[0], 3);
	assert_int_equal(r->parent[0], -1);
	assert_int_equal(r->kind[1], RANGE_ANNOTATION);
	assert_int_equal(r->id[1], 1);
	assert_int_equal(r->kind[2], RANGE_PYTHON);
	assert_int_equal(r->parent[2], 3);
	assert_string_equal(d.trace.framework, "pytorch");
	decoded_release(&d);
}

/* Keys in any order, with args before the category, too. If a key occurs
 * twice, the last counts. */
static void test_order(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"[{\"args\":{\"device\":1,\"stream\":2,\"device\":3},\"dur\":1,"
		"\"dur\":2,\"name\":\"k\",\"pid\":0,\"tid\":0,\"ts\":1,"
		"\"cat\":\"kernel\",\"ph\":\"X\"}]");
	assert_int_equal(d.trace.kernel.device[0], 3);
	assert_int_equal(d.trace.kernel.dur_ns[0], 2000);
	decoded_release(&d);
}

static void test_around(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"{\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
		"\"k\",\"pid\":1,\"tid\":7,\"ts\":1000000,\"dur\":1}, {\"ph\":"
		"\"M\",\"name\":\"process_name\",\"pid\":77,\"tid\":0,\"args\":"
		"{\"name\":\"python\"}}, {\"ph\":\"X\",\"cat\":\"cuda_driver\","
		"\"name\":\"cuLaunchKernel\",\"pid\":77,\"tid\":1,\"ts\":"
		"1000000,\"dur\":1}], \"unknown\": {\"a\": [1, {\"b\": "
		"\"]\"}]}, \"text\": \"}\", \"nothing\": null, "
		"\"deviceProperties\": [{\"id\": 1, \"name\": \"Tesla V100\", "
		"\"totalGlobalMem\": 34089730048, \"computeMajor\": 7, "
		"\"computeMinor\": 0, \"numSms\": 80}, {\"id\": 1, \"name\": "
		"\"again\"}, 5], \"distributedInfo\": {\"backend\": \"nccl\", "
		"\"rank\": 2, \"world_size\": 8}, \"host_name\": \"node7\", "
		"\"baseTimeNanoseconds\": 1719853884000000000}");
	const struct process *p = &d.trace.processes[0];
	const struct device *g = trace_device(&d.trace, 0, 1);
	assert_int_equal(d.trace.processes_n, 1);
	assert_int_equal(p->pid, 77);
	assert_string_equal(text_of(&d, p->name), "python");
	assert_string_equal(text_of(&d, p->host), "node7");
	assert_int_equal(p->rank, 2);
	assert_int_equal(p->world_size, 8);
	assert_int_equal(d.trace.devices_n, 1);
	assert_string_equal(text_of(&d, g->name), "Tesla V100");
	assert_int_equal(g->sm_count, 80);
	assert_int_equal(g->compute_major, 7);
	assert_int_equal(g->compute_minor, 0);
	assert_int_equal(g->memory_bytes, 34089730048);
	/* one second after the base */
	assert_int_equal(d.trace.base_ns, 1719853885000000000);
	assert_true(d.trace.base_is_utc);
	decoded_release(&d);
}

/* Each of them counts as one that the process sees, although only the used ones keep
 * properties. */
static void test_listed_gpus_behind_cpus(void **state)
{
	struct decoded d;
	(void)state;
	decode_text(&d,
		"{\"deviceProperties\": ["
		"{\"id\": 0, \"name\": \"AMD Instinct MI300X\"}, "
		"{\"id\": 1, \"name\": \"AMD Instinct MI300X\"}, "
		"{\"id\": 2, \"name\": \"AMD Instinct MI300X\"}, "
		"{\"id\": 3, \"name\": \"AMD Instinct MI300X\"}], "
		"\"traceEvents\": [{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
		"\"k\",\"pid\":4,\"tid\":7,\"ts\":1,\"dur\":1,\"args\":"
		"{\"device\":4}}, {\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
		"\"k\",\"pid\":5,\"tid\":7,\"ts\":9,\"dur\":1,\"args\":"
		"{\"device\":5}}]}");
	assert_int_equal(d.trace.devices_n, 2);
	assert_int_equal(d.trace.devices[0].number, 4);
	assert_int_equal(d.trace.devices[1].number, 5);
	assert_int_equal(d.trace.devices_listed, 4);
	decoded_release(&d);
}

/* 20,000 events cross the edge of the window many times, at any byte; one is
 * initially larger than the window. */
static void test_window(void **state)
{
	enum { EVENTS = 20000, BIG = 700000 };
	char *text = malloc(EVENTS * 200 + BIG), *p = text;
	struct decoded d;
	int64_t sum = 0;
	(void)state;
	p += sprintf(p, "{\"traceEvents\": [");
	for (int i = 0; i < EVENTS; i++) {
		int dur = i * 7 % 1000;
		sum += (int64_t)dur * 1000 + i % 10 * 100;
		p += sprintf(p,
			"%s\n  {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": "
			"\"kernel_%d<%*d>\", \"pid\": 0, \"tid\": 7, \"ts\": "
			"%d, \"dur\": %d.%d, \"args\": {\"device\": %d",
			i ? "," : "", i % 100, i % 23, 1, i, dur, i % 10,
			i % 4);
		if (i == 777) {
			p += sprintf(p, ", \"x\": [");
			memset(p, ' ', BIG / 2);
			p += BIG / 2;
			p += sprintf(p, "]");
		}
		p += sprintf(p, "}}");
	}
	p += sprintf(p, "]}");
	decode_bytes(&d, text, (size_t)(p - text), 100003);
	assert_true(d.ok);
	assert_int_equal(d.trace.kernel.n, EVENTS);
	for (uint32_t i = 0; i < EVENTS; i++) {
		sum -= d.trace.kernel.dur_ns[i];
		assert_int_equal(d.trace.kernel.start_ns[i], i * 1000);
		assert_int_equal(d.trace.kernel.device[i], i % 4);
	}
	assert_int_equal(sum, 0);
	assert_int_equal(noted(&d, NOTE_bad_event), 0);
	decoded_release(&d);
	free(text);
}

/* An arena that is too small is an error of the trace, which gives its size. */
static void test_ceiling(void **state)
{
	enum { EVENTS = 20000 };
	char *text = malloc(EVENTS * 100), *p = text;
	static const struct decode_limits limits = { 64 << 20, 200 };
	(void)state;
	p += sprintf(p, "[");
	for (int i = 0; i < EVENTS; i++)
		p += sprintf(p,
			"%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\","
			"\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":1}",
			i ? "," : "", i, i);
	for (size_t kib = 1; kib < 3000; kib += 97) {
		struct arena a = { .ceiling = kib << 10 };
		struct source_memory m;
		struct source s;
		struct trace t;
		struct err e = { 0 };
		source_memory_init(&m, &s, text, (size_t)(p - text));
		bool ok = trace_init(&t, &a) || arena_err(&a, &e);
		ok = ok && decode(&s, &limits, NULL, &t, &e);
		assert_false(ok);
		assert_int_equal(e.code, ERR_TOO_LARGE);
		arena_release(&a);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_listed_gpus_behind_cpus),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_ceiling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_nsys.c - tests NVTX ranges, calls and samples of an export, beyond what
 * `inspect` prints. The sqlite3 program wrote each table. */
#include "format.h"
#include "sqlite_fixture.h"

/* Process 77 of machine 0, VM 1, and its thread 78. */
#define PID "(1 << 48 | 77 << 24)"
#define TID "(1 << 48 | 77 << 24 | 78)"

static struct fixture f;

static void read_it(const char *script)
{
	make(&f, script);
	assert_true(open_it(&f));
	if (!nsys_read(&f.file, &f.trace, &f.err))
		fail_msg("%s", f.err.text);
}

static const char *name_at(uint32_t id)
{
	return names_text(&f.trace.names, id);
}

#define STRINGS                                                            \
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"      \
	"INSERT INTO StringIds VALUES(1, 'registered'), (2, '{\"a\":1}')," \
	"(3, 'cudaLaunchKernelExC_v11060'), (4, 'cuMemAlloc_v2'), (5, 'k');"

static const char calls[] = STRINGS
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid,"
	"correlationId, nameId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100,110," TID ",5,3);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER(start, end, globalTid,"
	"correlationId, nameId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES(120,130," TID ",6,4);";

static void test_calls(void **state)
{
	(void)state;
	read_it(calls);
	const struct call_rows *c = &f.trace.call;
	assert_int_equal(c->n, 2);
	assert_string_equal(name_at(c->name[0]), "cudaLaunchKernelExC");
	assert_string_equal(name_at(c->name[1]), "cuMemAlloc_v2");
	assert_string_equal(name_at(c->thread[0]), "78");
	assert_int_equal(c->correlation[0], 5);
	assert_int_equal(c->start_ns[1], 20);
	assert_int_equal(f.trace.base_ns, 100);
	assert_false(f.trace.base_is_utc);
	assert_int_equal(f.trace.processes[0].pid, 77);
	close_it(&f);
}

#define EVENTS                                                              \
	STRINGS                                                             \
	"CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text," \
	"textId INT, globalTid INT, domainId INT, rangeId INT,"             \
	"uint64Value INT, int64Value INT, doubleValue REAL, jsonText,"      \
	"jsonTextId INT, binaryData);"
#define EVENT(values) "INSERT INTO NVTX_EVENTS VALUES(" values ");"

/* A range of each form, in the order of the rows that end them. */
static void test_ranges(void **state)
{
	static const struct {
		const char *name, *domain, *payload;
		int64_t start_ns, dur_ns, id;
		enum range_kind kind;
	} want[] = {
		{ "step", "", "", 0, 100, -1, RANGE_ANNOTATION },
		{ "registered", "mine", "", 10, 20, -1, RANGE_ANNOTATION },
		{ "loose", "", "", 20, 70, 5, RANGE_LOOSE },
		{ "inner", "", "", 32, 1, -1, RANGE_ANNOTATION },
		{ "outer", "", "", 31, 5, -1, RANGE_ANNOTATION },
		{ "halves", "mine", "", 40, 8, 9, RANGE_LOOSE },
	};
	enum { WANT = sizeof want / sizeof *want };
	(void)state;
	read_it(EVENTS EVENT("0,100,59,'step',NULL," TID ",0,0,NULL,NULL,"
			     "NULL,NULL,NULL,"
			     "NULL") EVENT("10,30,70,NULL,1," TID
					   ",3,0,NULL,NULL,NULL,NULL,NULL,NULL")
			EVENT("20,90,60,'loose',"
			      "NULL," TID ",0,5,NULL,NULL,"
			      "NULL,NULL,NULL,"
			      "NULL") EVENT("31,NULL,35,'outer',NULL," TID
					    ",0,0,NULL,NULL,"
					    "NULL,NULL,NULL,"
					    "NULL") EVENT("32,NULL,66,'inner',"
							  "NULL," TID
							  ",0,0,NULL,NULL,NULL,"
							  "NULL,NULL,NULL")
				EVENT("33,NULL,36,NULL,NULL," TID ",0,0,NULL,"
				      "NULL,NULL,"
				      "NULL,NULL,"
				      "NULL") EVENT("36,NULL,67,NULL,NULL," TID
						    ",0,0,NULL,NULL,NULL,NULL,"
						    "NULL,NULL")
					EVENT("40,NULL,37,'halves',NULL," TID
					      ",3,9,NULL,NULL,NULL,NULL,NULL,"
					      "NULL") EVENT("48,NULL,38,NULL,"
							    "NULL," TID " + "
							    "1,3,9,NULL,NULL,"
							    "NULL,NULL,NULL,"
							    "NULL")
						EVENT("0,NULL,75,'mine',"
						      "NULL," TID
						      ",3,0,NULL,NULL,NULL,"
						      "NULL,NULL,NULL"));
	const struct range_rows *r = &f.trace.range;
	assert_int_equal(r->n, WANT);
	for (uint32_t i = 0; i < WANT; i++) {
		assert_string_equal(name_at(r->name[i]), want[i].name);
		assert_string_equal(name_at(r->domain[i]), want[i].domain);
		assert_string_equal(name_at(r->payload[i]), want[i].payload);
		assert_string_equal(name_at(r->thread[i]), "78");
		assert_int_equal(r->start_ns[i], want[i].start_ns);
		assert_int_equal(r->dur_ns[i], want[i].dur_ns);
		assert_int_equal(r->kind[i], want[i].kind);
		assert_int_equal(r->id[i], want[i].id);
	}
	assert_null(f.trace.framework);
	close_it(&f);
}

/* Registered layout 16777220 of domain 1: a uint64 and, at 8, an int32; then
 * a text of four bytes and a field that is stored elsewhere. */
static const char layout[] =
	"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId, schemaId, idx,"
	"flags, type, name, arrayOrUnionDetail, offset);"
	"INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
	"(1,16777220,1,NULL,5,'Peer \"rank\"',NULL,8),"
	"(1,16777220,0,NULL,18,'id',NULL,NULL),"
	"(1,16777220,0,NULL,18,'id',NULL,NULL),"
	"(1,16777220,2,NULL,75,'text',4,12),"
	"(1,16777220,3,2,75,'far',NULL,16),"
	"(1,16777220,4,NULL,20,'behind',NULL,20);";

static void test_payloads(void **state)
{
	static const char *const want[] = { "18446744073709551615", "-7", "0.5",
		"{\"b\": [2]}", "{\"a\":1}",
		("{\"id\":18446744073709551615,\"Peer \\\"rank\\\"\":-2,"
		 "\"text\":\"ab\",\"far\":null,\"behind\":null}"),
		"", "" };
	enum { WANT = sizeof want / sizeof *want };
	char script[8192];
	(void)state;
	snprintf(script, sizeof script, "%s%s%s", EVENTS, layout,
		EVENT("0,1,59,'a',NULL," TID
		      ",0,0,-1,NULL,NULL,NULL,NULL,NULL") EVENT("0,1,59,'a',"
								"NULL," TID
								",0,0,NULL,-7,"
								"NULL,NULL,"
								"NULL,NULL")
			EVENT("0,1,59,'a',NULL," TID ",0,0,NULL,NULL,0.5,NULL,"
			      "NULL,NULL") EVENT("0,1,59,'a',NULL," TID
						 ",0,0,NULL,NULL,NULL,'{\"b\": "
						 "[2]}',NULL,NULL")
				EVENT("0,1,59,'a',NULL," TID
				      ",0,0,NULL,NULL,NULL,NULL,2,NULL")
					EVENT("0,1,59,'a',NULL," TID
					      ",0,0,NULL,NULL,NULL,NULL,NULL,"
					      "x'"
					      "010000000000000004000001000000"
					      "00" /* domain, schema */
					      "140000000000000034000000000000"
					      "00" /* 20 of 52 bytes */
					      "ffffffffffffffff"
					      "feffffff"
					      "61620000"
					      "00000000'")
		/* an undeclared layout; a layout longer than the data */
		EVENT("0,1,59,'a',NULL," TID ",0,0,NULL,NULL,NULL,NULL,NULL,"
		      "x'01000000000000000500000100000000"
		      "08000000000000002800000000000000ffffffffffffffff'")
			EVENT("0,1,59,'a',NULL," TID
			      ",0,0,NULL,NULL,NULL,NULL,NULL,"
			      "x'01000000000000000400000100000000"
			      "ffffffffffffffff2800000000000000ffffffffffffffff"
			      "'"));
	read_it(script);
	assert_int_equal(f.trace.range.n, WANT);
	for (uint32_t i = 0; i < WANT; i++)
		assert_string_equal(name_at(f.trace.range.payload[i]), want[i]);
	assert_int_equal(count(&f, NOTE_nvtx_payload), 2);
	close_it(&f);
}

/* emit_nvtx() numbers each operator in its name. */
static void test_pytorch_names(void **state)
{
	static const struct {
		const char *text, *name, *payload;
		int64_t id;
	} rows[] = {
		{ "aten::mm, op_id = 12", "aten::mm", "", 12 },
		{ "aten::mm, seq = 7, op_id = 13", "aten::mm", "", 13 },
		{ "aten::mm, seq = 7, op_id = 0, sizes = [[2, 3], [3, 4]]",
			"aten::mm", "[[2, 3], [3, 4]]", 0 },
		{ "f, g, op_id = 1, sizes = [[]], input_op_ids = [(1,0)]",
			"f, g", "[[]]", 1 },
		{ "aten::mm, op_id = ", "aten::mm, op_id = ", "", -1 },
		{ "aten::mm, op_id = 5 or so", "aten::mm, op_id = 5 or so", "",
			-1 },
		{ "aten::mm, seq = x, op_id = 5",
			"aten::mm, seq = x, op_id = 5", "", -1 },
		{ "aten::mm, op_id = 9999999999999999999",
			"aten::mm, op_id = 9999999999999999999", "", -1 },
		{ "aten::mm, op_id = 5, sizes = [[2",
			"aten::mm, op_id = 5, sizes = [[2", "", -1 },
	};
	enum { ROWS = sizeof rows / sizeof *rows };
	char script[8192];
	size_t len = (size_t)snprintf(script, sizeof script, "%s", EVENTS);
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		len += (size_t)snprintf(script + len, sizeof script - len,
			EVENT("0,1,59,'%s',NULL," TID
			      ",0,0,NULL,NULL,NULL,NULL,NULL,NULL"),
			rows[i].text);
	read_it(script);
	assert_int_equal(f.trace.range.n, ROWS);
	for (uint32_t i = 0; i < ROWS; i++) {
		const struct range_rows *r = &f.trace.range;
		assert_string_equal(name_at(r->name[i]), rows[i].name);
		assert_string_equal(name_at(r->payload[i]), rows[i].payload);
		assert_int_equal(r->id[i], rows[i].id);
	}
	assert_string_equal(f.trace.framework, "pytorch");
	close_it(&f);
}

static void test_samples_and_graphs(void **state)
{
	(void)state;
	read_it(STRINGS
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId,"
		"globalPid, demangledName, shortName, graphNodeId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
		"(10,20,0," PID ",99,5,4 << 32 | 3);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start, end,"
		"deviceId, streamId, correlationId, globalPid, graphId,"
		"graphExecId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
		"(30,70,0,7,8," PID ",4,5);"
		"CREATE TABLE TARGET_INFO_CUDA_DEVICE(pid, cudaId, gpuId);"
		"INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(77,0,3);"
		"CREATE TABLE TARGET_INFO_GPU(id, name, smCount);"
		"INSERT INTO TARGET_INFO_GPU VALUES(3,'third',80);"
		"CREATE TABLE TARGET_INFO_GPU_METRICS(typeId, metricId,"
		"metricName); INSERT INTO TARGET_INFO_GPU_METRICS VALUES"
		"(515,1,'SMs Active');"
		"CREATE TABLE GPU_METRICS(timestamp, typeId, metricId, value);"
		"INSERT INTO GPU_METRICS VALUES(15,515,1,50),(16,512,1,9);");
	const struct kernel_rows *k = &f.trace.kernel;
	const struct graph_rows *g = &f.trace.graph;
	const struct counter_rows *c = &f.trace.counter;
	assert_string_equal(name_at(k->name[0]), "k");
	assert_int_equal(k->graph_id[0], 4);
	assert_int_equal(k->graph_node[0], INT64_C(4) << 32 | 3);
	assert_int_equal(k->launch[0], 0);
	assert_int_equal(k->correlation[0], -1);
	assert_string_equal(name_at(g->name[0]), "CUDA graph 4");
	assert_int_equal(g->dur_ns[0], 40);
	assert_int_equal(g->graph_exec[0], 5);
	assert_int_equal(g->correlation[0], 8);
	assert_int_equal(f.trace.devices_n, 1);
	assert_string_equal(name_at(f.trace.devices[0].name), "third");
	assert_int_equal(c->n, 1);
	assert_string_equal(name_at(c->name[0]), "SMs Active");
	assert_int_equal(c->start_ns[0], 5);
	assert_int_equal(c->device[0], 0);
	assert_true(c->value[0] == 50);
	assert_int_equal(count(&f, NOTE_nsys_idle_gpu), 1);
	close_it(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_payloads),
		cmocka_unit_test(test_pytorch_names),
		cmocka_unit_test(test_samples_and_graphs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

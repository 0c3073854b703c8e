/* test_nvtx.c - tests that a program's NVTX calls become rows with the texts
 * that the program gave. */
#include "nvtx_rows.h"

enum {
	ASCII = NVTX_MESSAGE_TYPE_ASCII,
	WIDE = NVTX_MESSAGE_TYPE_UNICODE,
	KEPT = NVTX_MESSAGE_TYPE_REGISTERED,
	PUSHED = KST_RANGE_ANNOTATION,
	LOOSE = KST_RANGE_LOOSE
};

/* Texts of frameworks, copied from collector.md and from their sources. */
static const char *const frameworks[] = {
	"aten::mm, op_id = 1529997, sizes = [[4, 1024], [1024, 2048]], "
	"input_op_ids = [(1529991,0), (1529993,0)]",
	"aten::mul, seq = 5, op_id = 871, sizes = [[4, 256, 512], [4, 256, 1]]",
	"{'Module': 'model.layers.0.self_attn.qkv_proj', 'TrainableParams': "
	"{'weight': [6144, 4096]}, 'Inputs': [[1, 4096]], 'StaticParams': "
	"{'in_features': 4096, 'out_features': 6144}}",
	"gpu_model_runner: forward",
	"",
};

static void test_each_call(void **state)
{
	int64_t before = clock_real_ns();
	(void)state;
	nvtx_record(true);
	assert_int_equal(nvtxRangePushA("push a"), 0);
	assert_int_equal(nvtxRangePushW(L"push w \u00fc\U0001F600"), 1);
	nvtxEventAttributes_t a = event(ASCII, "push ex");
	assert_int_equal(nvtxRangePushEx(&a), 2);
	assert_int_equal(nvtxRangePop(), 2);
	assert_int_equal(nvtxRangePop(), 1);
	assert_int_equal(nvtxRangePop(), 0);
	assert_int_equal(nvtxRangePop(), -1);
	nvtxRangeId_t i = nvtxRangeStartA("start a"), j, k;
	j = nvtxRangeStartW(L"start w");
	a = event(WIDE, L"start ex");
	k = nvtxRangeStartEx(&a);
	assert_true(i && j && k && i != j && j != k);
	nvtxRangeEnd(j);
	nvtxRangeEnd(i);
	nvtxRangeEnd(k);
	nvtxRangeEnd(k);
	nvtxMarkA("mark");
	nvtxMarkW(L"mark");
	nvtxMarkEx(&a);
	nvtxNameOsThreadA(1, "worker");
	nvtxNameCategoryA(1, "category");
	captured_close();
	captured_is(0, PUSHED, "push ex", "", "");
	captured_is(1, PUSHED, "push w \xC3\xBC\xF0\x9F\x98\x80", "", "");
	captured_is(2, PUSHED, "push a", "", "");
	captured_is(3, LOOSE, "start w", "", "");
	captured_is(4, LOOSE, "start a", "", "");
	captured_is(5, LOOSE, "start ex", "", "");
	assert_int_equal(captured.n, 6);
	assert_int_equal(captured.marks, 3);
	assert_int_equal(captured.cut + captured.odd, 0);
	int64_t after = clock_real_ns();
	for (int n = 0; n < captured.n; n++) {
		const struct captured_row *r = &captured.rows[n];
		assert_in_range(r->row.start_ns, before, after);
		assert_in_range(r->row.start_ns + r->row.dur_ns, before, after);
		assert_int_equal(atol(r->thread), syscall(SYS_gettid));
	}
	assert_int_equal(nvtx_dropped(), 0);
	/* the inner range is within the outer one */
	assert_true(
		captured.rows[2].row.start_ns <= captured.rows[0].row.start_ns);
	assert_true(captured.rows[2].row.dur_ns >= captured.rows[0].row.dur_ns);
}

static void test_domains(void **state)
{
	(void)state;
	nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
	nvtxDomainHandle_t wide = nvtxDomainCreateW(L"d\u00e9j\u00e0");
	nvtxStringHandle_t reduce =
		nvtxDomainRegisterStringA(nccl, "ncclAllReduce");
	nvtxStringHandle_t w = nvtxDomainRegisterStringW(wide, L"\u20ac");
	assert_true(nccl && wide && nccl != wide && reduce && w);
	nvtx_record(true);
	nvtxEventAttributes_t a = event(KEPT, reduce), b = event(KEPT, w),
			      c = event(ASCII, "plain");
	assert_int_equal(nvtxDomainRangePushEx(nccl, &a), 0);
	/* each domain has its own levels and ends */
	assert_int_equal(nvtxDomainRangePushEx(wide, &b), 0);
	assert_int_equal(nvtxDomainRangePushEx(NULL, &c), 0);
	assert_int_equal(nvtxDomainRangePushEx(nccl, &c), 1);
	assert_int_equal(nvtxDomainRangePop(wide), 0);
	assert_int_equal(nvtxDomainRangePop(wide), -1);
	assert_int_equal(nvtxDomainRangePop(nccl), 1);
	assert_int_equal(nvtxDomainRangePop(nccl), 0);
	assert_int_equal(nvtxRangePop(), 0);
	nvtxRangeId_t id = nvtxDomainRangeStartEx(nccl, &a);
	nvtxDomainRangeEnd(nccl, id);
	nvtxDomainMarkEx(nccl, &a);
	nvtxDomainDestroy(wide);
	nvtx_drain(NULL, false);
	captured_is(0, PUSHED, "\xE2\x82\xAC", "d\xC3\xA9j\xC3\xA0", "");
	captured_is(1, PUSHED, "plain", "NCCL", "");
	captured_is(2, PUSHED, "ncclAllReduce", "NCCL", "");
	captured_is(3, PUSHED, "plain", "", "");
	captured_is(4, LOOSE, "ncclAllReduce", "NCCL", "");
	assert_int_equal(captured.n, 5);
	/* the handle of a destroyed one is reused only for the same name */
	assert_ptr_not_equal(nvtxDomainCreateA("other"), wide);
	assert_ptr_equal(nvtxDomainCreateW(L"d\u00e9j\u00e0"), wide);
	/* two domains of one name have two handles */
	assert_ptr_not_equal(nvtxDomainCreateA("NCCL"), nccl);
}

static void test_odd_events(void **state)
{
	(void)state;
	nvtx_record(true);
	nvtxEventAttributes_t a = event(KEPT, (void *)(uintptr_t)123456789),
			      b = event(ASCII, NULL), c = event(7, "what"),
			      d = event(ASCII, "too short a struct");
	d.size = 8;
	nvtxDomainHandle_t odd = (nvtxDomainHandle_t)(uintptr_t)0x7FFF12345678;
	nvtxRangePushEx(NULL);
	nvtxRangePushEx(&a);
	nvtxRangePushEx(&b);
	nvtxRangePushEx(&c);
	nvtxRangePushEx(&d);
	nvtxRangePushA(NULL);
	nvtxRangePushW(NULL);
	nvtxDomainRangePushEx(odd, &b);
	for (int i = 0; i < 8; i++)
		assert_true(nvtxRangePop() >= 0);
	captured_close();
	assert_int_equal(captured.n, 8);
	for (int i = 0; i < 8; i++)
		captured_is(i, PUSHED, "", "", "");
}

static void test_frameworks_pass_unchanged(void **state)
{
	enum { N = sizeof frameworks / sizeof *frameworks };
	char text[512];
	(void)state;
	nvtx_record(true);
	for (int i = 0; i < N; i++) {
		/* the program reuses its memory immediately */
		strcpy(text, frameworks[i]);
		nvtxRangePushA(text);
		memset(text, '?', sizeof text);
	}
	for (int i = 0; i < N; i++)
		nvtxRangePop();
	captured_close();
	assert_int_equal(captured.n, N);
	for (int i = 0; i < N; i++)
		captured_is(i, PUSHED, frameworks[N - 1 - i], "", "");
}

static void test_long_texts_are_cut(void **state)
{
	static char text[20001];
	(void)state;
	memset(text, 'x', sizeof text - 1);
	memcpy(text + 8190, "\xE2\x82\xAC", 3);
	nvtx_record(true);
	nvtxRangePushA(text);
	nvtxRangePop();
	nvtx_drain(NULL, false);
	assert_int_equal(captured.n, 1);
	assert_int_equal(strlen(captured.texts[captured.rows[0].row.name]),
		8190);
}

static void test_payloads(void **state)
{
	static const nvtxPayloadSchemaEntry_t fields[] = {
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_SIZE, .name = "bytes" },
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_INT,
			.name = "op",
			.offset = 8 },
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
			.name = "what",
			.flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE,
			.arrayOrUnionDetail = 8,
			.offset = 12 },
	};
	nvtxPayloadSchemaAttr_t schema = {
		.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES,
		.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
		.entries = fields,
		.numEntries = 3
	};
	struct {
		size_t bytes;
		int op;
		char what[8];
	} call = { 1048576, 2, "gather" };
	static const char want[] =
		"{\"bytes\":1048576,\"op\":2,\"what\":\"gather\"}";
	(void)state;
	nvtxDomainHandle_t d = nvtxDomainCreateA("payloads");
	uint64_t id = nvtxPayloadSchemaRegister(d, &schema);
	assert_true(id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
	assert_true(nvtxDomainIsEnabled(d));
	nvtx_record(true);
	nvtxPayloadData_t data = { id, sizeof call, &call };
	nvtxEventAttributes_t a = event(ASCII, "ncclAllReduce");
	a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
	a.payload.ullValue = (uintptr_t)&data;
	a.reserved0 = 1;
	nvtxDomainRangePushEx(d, &a);
	memset(&call, 0xFF, sizeof call); /* the program may reuse it */
	nvtxDomainRangePop(d);
	call.bytes = 1048576;
	call.op = 2;
	strcpy(call.what, "gather");
	/* the message is in the payload; at the end; start and end */
	nvtxRangePushPayload(d, &data, 1);
	nvtxRangePopPayload(d, &data, 1);
	a = event(ASCII, "later");
	nvtxDomainRangePushEx(d, &a);
	nvtxRangePopPayload(d, &data, 1);
	nvtxRangeEndPayload(d, nvtxRangeStartPayload(d, &data, 1), &data, 1);
	nvtxMarkPayload(d, &data, 1);
	/* a number; an unregistered layout; no payload at all */
	a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
	a.payload.llValue = -7;
	nvtxDomainRangePushEx(d, &a);
	nvtxDomainRangePop(d);
	data.schemaId = 1 << 25;
	nvtxRangePushPayload(d, &data, 1);
	nvtxDomainRangePop(d);
	nvtxRangePushPayload(d, NULL, 1);
	nvtxDomainRangePop(d);
	captured_close();
	captured_is(0, PUSHED, "ncclAllReduce", "payloads", want);
	captured_is(1, PUSHED, "gather", "payloads", want);
	captured_is(2, PUSHED, "later", "payloads", want);
	captured_is(3, LOOSE, "gather", "payloads", want);
	captured_is(4, PUSHED, "later", "payloads", "-7");
	captured_is(5, PUSHED, "", "payloads", "null");
	captured_is(6, PUSHED, "", "payloads", "");
	assert_int_equal(captured.n, 7);
	assert_int_equal(captured.odd, 1);
	assert_int_equal(captured.marks, 1);
}

int main(void)
{
	unsetenv("NVTX_INJECTION64_PATH");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_each_call, captured_end),
		cmocka_unit_test_teardown(test_domains, captured_end),
		cmocka_unit_test_teardown(test_odd_events, captured_end),
		cmocka_unit_test_teardown(test_frameworks_pass_unchanged,
			captured_end),
		cmocka_unit_test_teardown(test_long_texts_are_cut,
			captured_end),
		cmocka_unit_test_teardown(test_payloads, captured_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_nvtx_payload.c - tests payloads as JSON, and unusual payloads.
 *
 * If the server reads the bytes of a payload from an nsys export
 * (server/decode/nsys/nsys_nvtx.c), it must produce the same text. */
#include "nvtx_payload_rig.h"

/* The layout and the text of tests/unit/decode/test_nsys.c: a uint64, an int32
 * at 8, a text of four bytes at 12, a text elsewhere, and a text after the
 * end. */
static void test_same_text_as_the_server(void **state)
{
	static const nvtxPayloadSchemaEntry_t fields[] = {
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64, .name = "id" },
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_INT,
			.name = "Peer \"rank\"",
			.offset = 8 },
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
			.name = "text",
			.arrayOrUnionDetail = 4,
			.offset = 12 },
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING,
			.flags = NVTX_PAYLOAD_ENTRY_FLAG_POINTER,
			.name = "far",
			.offset = 16 },
		{ .type = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE,
			.name = "behind",
			.offset = 20 },
	};
	static const uint8_t bytes[20] = { 255, 255, 255, 255, 255, 255, 255,
		255, 254, 255, 255, 255, 'a', 'b', 0, 0 };
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	gives(1, id, bytes, sizeof bytes,
		"{\"id\":18446744073709551615,\"Peer \\\"rank\\\"\":-2,"
		"\"text\":\"ab\",\"far\":null,\"behind\":null}",
		2);
}

/* NCCL's: struct { uint64_t commhash; size_t bytes; ncclRedOp_t op; }. */
static void test_layout_of_nccl(void **state)
{
	enum { ALL_REDUCE = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 3 };
	static const nvtxPayloadSchemaEntry_t fields[] = {
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID",
			NULL, 0, 0, NULL, NULL },
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", NULL,
			0, 8, NULL, NULL },
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_INT, "Reduction operation", NULL,
			0, 16, NULL, NULL },
	};
	static const struct {
		uint64_t communicator, bytes;
		int32_t op;
	} call = { 0xABCDEF, 1048576, 2 };
	nvtxPayloadSchemaAttr_t a = attributes(NVTX_STATIC, fields, 3);
	(void)state;
	a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID |
		       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
	a.schemaId = ALL_REDUCE;
	a.payloadStaticSize = sizeof call;
	assert_int_equal(nvtx_payload_register_schema(schemas, 7, &a),
		ALL_REDUCE);
	gives(7, ALL_REDUCE, &call, sizeof call,
		"{\"NCCL communicator ID\":11259375,"
		"\"Message size [bytes]\":1048576,\"Reduction operation\":2}",
		0);
	/* The given size is SIZE_MAX, so the layout's size is used. In another
	 * domain the layout is unknown. */
	gives(7, ALL_REDUCE, &call, SIZE_MAX,
		"{\"NCCL communicator ID\":11259375,"
		"\"Message size [bytes]\":1048576,\"Reduction operation\":2}",
		0);
	gives(8, ALL_REDUCE, &call, sizeof call, "null", 1);
	/* fewer bytes than the given size */
	gives(7, ALL_REDUCE, &call, 12,
		"{\"NCCL communicator ID\":11259375,"
		"\"Message size [bytes]\":null,\"Reduction operation\":null}",
		2);
}

static void test_enum(void **state)
{
	static const nvtxPayloadEnum_t ops[] = { { "Sum", 0, 0 },
		{ "Prod", 1, 0 }, { "Min", (uint64_t)-1, 0 } };
	nvtxPayloadEnumAttr_t a = {
		.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
		.entries = ops,
		.numEntries = 3,
		.sizeOfEnum = 4
	};
	(void)state;
	uint64_t op = nvtx_payload_register_enum(schemas, 1, &a);
	const nvtxPayloadSchemaEntry_t fields[] = {
		{ .type = op, .name = "op" },
		{ .type = op, .name = "odd" },
		{ .type = op,
			.name = "some",
			.flags = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
			.arrayOrUnionDetail = 2 },
	};
	static const int32_t values[] = { 1, 9, -1, 0 };
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	gives(1, id, values, sizeof values,
		"{\"op\":\"Prod\",\"odd\":9,\"some\":[\"Min\",\"Sum\"]}", 0);
	/* alone; without sizes it has no value; 3 bytes of 4 */
	gives(1, op, values, 4, "\"Prod\"", 0);
	gives(1, op, values, 3, "null", 1);
	a.fieldMask &= ~(uint64_t)NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE;
	assert_int_equal(nvtx_payload_register_enum(schemas, 1, &a), 0);
	assert_int_equal(nvtx_payload_register_enum(schemas, 1, NULL), 0);
}

/* Each type alone: its bytes are 1, 2, 3, …, the last one is 0xFF. */
static void test_each_type(void **state)
{
	static const struct {
		uint64_t type;
		size_t bytes;
		const char *want;
		int odd;
	} cases[] = {
		{ NVTX_PAYLOAD_ENTRY_TYPE_CHAR, 1, "-1", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_UCHAR, 1, "255", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_SHORT, 2, "-255", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_UINT16, 2, "65281", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_INT, 4, "-16580095", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_UINT32, 4, "4278387201", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_LONG, 8, "-70080650589044223", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_SIZE, 8, "18376663423120507393", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_BYTE, 1, "255", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, 4, "-1.7413927232395065e+38",
			0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64, 8,
			"-7.8943659053126745e+303", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32, 4, "4278387201", 0 },
		/* known, but not shown */
		{ NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE, 16, "null", 1 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16, 2, "null", 1 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_WCHAR, 4, "null", 1 },
		/* unknown, invalid, one byte too short */
		{ 999, 8, "null", 1 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_INVALID, 8, "null", 1 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_INT, 3, "null", 1 },
		/* one after the other */
		{ NVTX_PAYLOAD_ENTRY_TYPE_UINT8, 3, "[1,2,255]", 0 },
		{ NVTX_PAYLOAD_ENTRY_TYPE_UINT16, 5, "[513,1027]", 0 },
		/* an unknown handle */
		{ NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, 8,
			"null", 1 },
	};
	uint8_t bytes[16];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (size_t n = 0; n < sizeof bytes; n++)
			bytes[n] = (uint8_t)(n + 1);
		bytes[cases[i].bytes - 1] = 0xFF;
		gives(1, cases[i].type, bytes, cases[i].bytes, cases[i].want,
			cases[i].odd);
	}
}

static void test_several_payloads(void **state)
{
	static const int32_t a = 1;
	static const char text[] = "two";
	nvtxPayloadData_t blobs[] = {
		{ NVTX_PAYLOAD_ENTRY_TYPE_INT, sizeof a, &a },
		{ NVTX_TYPE_PAYLOAD_SCHEMA_RAW, sizeof a, &a },
		{ NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, sizeof a, &a },
		/* a text without a given size, and one with it */
		{ NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, SIZE_MAX, text },
		{ NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8, 2, text },
		/* empty, and without an address */
		{ NVTX_PAYLOAD_ENTRY_TYPE_INT, 0, &a },
		{ NVTX_PAYLOAD_ENTRY_TYPE_INT, 4, NULL },
	};
	(void)state;
	all_give(1, blobs, 7, "[1,\"two\",\"tw\",null,null]", 2);
	all_give(1, &blobs[1], 2, "", 0);
	all_give(1, blobs, 0, "", 0);
}

static void test_single_numbers(void **state)
{
	static const struct {
		int32_t type;
		nvtxEventAttributes_t a;
		const char *want;
	} cases[] = {
		{ NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
			{ .payload.ullValue = UINT64_MAX },
			"18446744073709551615" },
		{ NVTX_PAYLOAD_TYPE_INT64, { .payload.llValue = -7 }, "-7" },
		{ NVTX_PAYLOAD_TYPE_DOUBLE, { .payload.dValue = 0.5 }, "0.5" },
		{ NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
			{ .payload.uiValue = 4000000000u }, "4000000000" },
		{ NVTX_PAYLOAD_TYPE_INT32, { .payload.iValue = -1 }, "-1" },
		{ NVTX_PAYLOAD_TYPE_FLOAT, { .payload.fValue = 0.1f },
			"0.10000000149011612" },
		/* no type, and an unknown type */
		{ NVTX_PAYLOAD_UNKNOWN, { 0 }, "" },
		{ 7, { 0 }, "" },
		{ -1, { 0 }, "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char room[64];
		struct nvtx_json j = { .at = room, .room = sizeof room };
		bool is = nvtx_payload_number(&j, cases[i].type,
			&cases[i].a.payload);
		assert_int_equal(is, *cases[i].want != 0);
		assert_int_equal(j.len, strlen(cases[i].want));
		assert_memory_equal(room, cases[i].want, j.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_text_as_the_server),
		cmocka_unit_test(test_layout_of_nccl),
		cmocka_unit_test(test_enum),
		cmocka_unit_test(test_each_type),
		cmocka_unit_test(test_several_payloads),
		cmocka_unit_test(test_single_numbers),
	};
	return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

/* test_nvtx_layouts.c - payloads with arrays, nested schemas, texts and
 * pointers: tests which memory is read. */
#include "nvtx_payload_rig.h"

enum {
	U8 = NVTX_PAYLOAD_ENTRY_TYPE_UINT8,
	I8 = NVTX_PAYLOAD_ENTRY_TYPE_INT8,
	I16 = NVTX_PAYLOAD_ENTRY_TYPE_INT16,
	I32 = NVTX_PAYLOAD_ENTRY_TYPE_INT32,
	U64 = NVTX_PAYLOAD_ENTRY_TYPE_UINT64,
	TEXT = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8,
	FIXED = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
	TO_ZERO = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
	GIVEN = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
	POINTER = NVTX_PAYLOAD_ENTRY_FLAG_POINTER,
	DEEP = NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY,
};

/* Flags, type, name, detail, offset. */
#define FIELD(flags, type, name, detail, offset)                    \
	{                                                           \
		flags, type, name, NULL, detail, offset, NULL, NULL \
	}
typedef nvtxPayloadSchemaEntry_t field;

static void test_offsets_by_alignment(void **state)
{
	/* 1 at 0, int16 at 2, uint64 at 8, int32 at 16, all without offsets */
	static const field fields[] = { FIELD(0, U8, "a", 0, 0),
		FIELD(0, I16, "b", 0, 0), FIELD(0, U64, "c", 0, 0),
		FIELD(0, I32, NULL, 0, 0) };
	static const struct {
		uint8_t a;
		int16_t b;
		uint64_t c;
		int32_t d;
	} bytes = { 1, -2, 3, -4 };
	static const uint8_t packed[] = { 1, 0xFE, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0,
		0xFC, 0xFF, 0xFF, 0xFF };
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	gives(1, id, &bytes, sizeof bytes, "{\"a\":1,\"b\":-2,\"c\":3,\"\":-4}",
		0);
	nvtxPayloadSchemaAttr_t a = attributes(NVTX_STATIC, fields, 4);
	a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT;
	a.packAlign = 1;
	id = nvtx_payload_register_schema(schemas, 1, &a);
	gives(1, id, packed, sizeof packed,
		"{\"a\":1,\"b\":-2,\"c\":3,\"\":-4}", 0);
}

static void test_arrays(void **state)
{
	static const field fields[] = { FIELD(0, U8, "n", 0, 0),
		FIELD(FIXED, I16, "two", 2, 0), FIELD(GIVEN, U8, "given", 0, 0),
		FIELD(TO_ZERO, U8, "ended", 0, 0), FIELD(0, I8, "last", 0, 0) };
	static const uint8_t bytes[] = { 3, 0, 1, 0, 2, 0, 7, 8, 9, 5, 6, 0,
		0xFF };
	static const uint8_t none[] = { 0, 0, 1, 0, 2, 0, 0, 0xFF };
	static const uint8_t open[] = { 1, 0, 1, 0, 2, 0, 7, 5, 6 };
	static const uint8_t many[] = { 200, 0, 1, 0, 2, 0, 7, 5, 6 };
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_DYNAMIC, 0, fields);
	gives(1, id, bytes, sizeof bytes,
		"{\"n\":3,\"two\":[1,2],\"given\":[7,8,9],\"ended\":[5,6],"
		"\"last\":-1}",
		0);
	gives(1, id, none, sizeof none,
		"{\"n\":0,\"two\":[1,2],\"given\":[],\"ended\":[],\"last\":-1}",
		0);
	/* no 0 in the payload: the fields after it have no offset, too */
	gives(1, id, open, sizeof open,
		"{\"n\":1,\"two\":[1,2],\"given\":[7],\"ended\":null,"
		"\"last\":null}",
		2);
	/* more than the payload has; the fixed one does not fit */
	gives(1, id, many, sizeof many,
		"{\"n\":200,\"two\":[1,2],\"given\":null,\"ended\":null,"
		"\"last\":null}",
		3);
	gives(1, id, many, 5,
		"{\"n\":200,\"two\":null,\"given\":null,\"ended\":null,"
		"\"last\":null}",
		4);
}

static void test_sizes_from_unusual_fields(void **state)
{
	static const field fields[] = { FIELD(0, I8, "minus", 0, 0),
		FIELD(GIVEN, U8, "a", 0, 2), FIELD(GIVEN, U8, "self", 2, 2),
		FIELD(GIVEN, U8, "later", 4, 2),
		FIELD(GIVEN, U8, "nowhere", 99, 2),
		FIELD(GIVEN, U8, "by an array", 1, 2),
		FIELD(NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX, U8,
			"by another payload", 0, 2),
		FIELD(NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE, U8, "offset", 0,
			2) };
	static const uint8_t bytes[] = { 0xFF, 0, 1, 2, 3 };
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_DYNAMIC, 0, fields);
	gives(1, id, bytes, sizeof bytes,
		"{\"minus\":-1,\"a\":null,\"self\":null,\"later\":null,"
		"\"nowhere\":null,\"by an array\":null,"
		"\"by another payload\":null,\"offset\":null}",
		7);
}

static void test_texts(void **state)
{
	static const field fields[] = { FIELD(0, U8, "n", 0, 0),
		FIELD(0, TEXT, "four", 4, 1), FIELD(FIXED, TEXT, "three", 3, 0),
		FIELD(TO_ZERO, TEXT, "ended", 0, 0),
		FIELD(GIVEN, TEXT, "given", 0, 0),
		FIELD(FIXED, NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "chars", 3, 0),
		FIELD(TO_ZERO, TEXT, "several", 3, 0),
		FIELD(0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "nowhere", 0, 1),
		FIELD(0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "wide", 4, 1) };
	static const char bytes[] = "\2ab\0cxyzende\0giABC";
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_DYNAMIC, 0, fields);
	gives(1, id, bytes, sizeof bytes - 1,
		"{\"n\":2,\"four\":\"ab\",\"three\":\"xyz\",\"ended\":\"ende\","
		"\"given\":\"gi\",\"chars\":\"ABC\",\"several\":null,"
		"\"nowhere\":null,\"wide\":null}",
		3);
}

static void test_nested(void **state)
{
	static const field point[] = { FIELD(0, I16, "x", 0, 0),
		FIELD(0, U8, "y", 0, 0) };
	(void)state;
	/* computed: 4 bytes, aligned to 2; the same if it is given */
	uint64_t a = SCHEMA(1, NVTX_STATIC, 0, point);
	uint64_t b = SCHEMA(1, NVTX_STATIC, 4, point);
	const field fields[] = { FIELD(0, U8, "n", 0, 0),
		FIELD(0, a, "one", 0, 0), FIELD(FIXED, b, "two", 2, 0),
		FIELD(0, a, "", 0, 0), FIELD(0, 1 << 26, "unknown", 0, 0) };
	static const uint8_t bytes[] = { 9, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6,
		0, 7, 0, 8, 0 };
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	gives(1, id, bytes, sizeof bytes,
		"{\"n\":9,\"one\":{\"x\":1,\"y\":2},\"two\":[{\"x\":3,\"y\":4},"
		"{\"x\":5,\"y\":6}],\"\":{\"x\":7,\"y\":8},\"unknown\":null}",
		1);
}

/* Layouts that contain each other, of the maximum size. */
static void test_endless_nesting(void **state)
{
	enum { SELF = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 77, WIDE = 120 };
	static field fields[WIDE];
	static const uint8_t bytes[64];
	(void)state;
	for (int i = 0; i < WIDE; i++)
		fields[i] = (field)FIELD(0, SELF, "deeper", 0, 0);
	nvtxPayloadSchemaAttr_t a = attributes(NVTX_DYNAMIC, fields, WIDE);
	a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
	a.schemaId = SELF;
	nvtx_payload_register_schema(schemas, 1, &a);
	nvtxPayloadData_t blob = { SELF, sizeof bytes, bytes };
	char room[ROOM];
	struct nvtx_payload p = rig_put(1, &blob, 1, room);
	/* the output ends, and is valid */
	assert_true(p.odd > 0 && p.json.len > 0 && !p.json.full);
	assert_int_equal(room[p.json.len - 1], '}');
}

static void test_pointers(void **state)
{
	static const field fields[] = { FIELD(POINTER, TEXT, "text", 0, 0),
		FIELD(POINTER | FIXED, I16, "two", 2, 8),
		FIELD(POINTER, U8, "far", 0, 16) };
	static const char elsewhere[] = "not of the event";
	struct {
		const char *text;
		const int16_t *two;
		const uint8_t *far;
	} call;
	struct {
		int16_t two[2];
		char text[8];
	} data[2] = { { { 5, -6 }, "inside" } };
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	nvtxPayloadData_t blobs[] = { { id, sizeof call, &call },
		{ NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED, sizeof *data, data } };
	/* A pointer into another payload of the event is followed. All other
	 * pointers are not followed, whether they are valid or not. */
	call.text = data->text;
	call.two = data->two;
	call.far = (const uint8_t *)elsewhere;
	all_give(1, blobs, 2,
		"{\"text\":\"inside\",\"two\":[5,-6],\"far\":null}", 1);
	call.text = (const char *)8;
	call.two = NULL;
	call.far = (const uint8_t *)&data->text[7];
	all_give(1, blobs, 2, "{\"text\":null,\"two\":null,\"far\":0}", 2);
	/* at the end: one of two numbers is outside; the text has no end */
	memset(data->text, 'x', sizeof data->text);
	call.text = data->text;
	call.two = (const int16_t *)(const void *)&data->text[6];
	call.far = (const uint8_t *)&data[1];
	all_give(1, blobs, 2, "{\"text\":null,\"two\":null,\"far\":null}", 3);
	/* fewer bytes than a pointer */
	blobs[0].size = 4;
	all_give(1, blobs, 2, "{\"text\":null,\"two\":null,\"far\":null}", 3);
}

static void test_copied_deep(void **state)
{
	static const field fields[] = { FIELD(POINTER | DEEP, TEXT, "text", 0,
						0),
		FIELD(POINTER | DEEP | FIXED, I32, "some", 3, 8),
		FIELD(POINTER | DEEP, U8, "none", 0, 16) };
	static const int32_t some[] = { 1, 2, 3 };
	const struct {
		const char *text;
		const int32_t *some;
		const uint8_t *none;
	} call = { "elsewhere", some, NULL };
	(void)state;
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	gives(1, id, &call, sizeof call,
		"{\"text\":\"elsewhere\",\"some\":[1,2,3],\"none\":null}", 1);
}

static void test_registered_string(void **state)
{
	static const field fields[] = {
		FIELD(0, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE,
			"name", 0, 0),
		FIELD(0, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE,
			"odd", 0, 0)
	};
	(void)state;
	uint64_t handles[] = { nvtx_texts_put(texts, 0, "registered", 10),
		0x7FFF00001234 };
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, fields);
	gives(1, id, handles, sizeof handles,
		"{\"name\":\"registered\",\"odd\":null}", 1);
}

static void test_odd_layouts(void **state)
{
	static field many[NVTX_FIELDS_MAX + 5];
	static const field one[] = { FIELD(0, U8, "a", 0, 0) };
	static const field far[] = { FIELD(0, U8, "far", 0, UINT64_MAX) };
	static uint8_t bytes[NVTX_FIELDS_MAX + 5];
	nvtxPayloadSchemaAttr_t a = attributes(NVTX_STATIC, one, 1);
	(void)state;
	/* no fields; no attributes; a union; an unknown type */
	a.entries = NULL;
	assert_int_equal(nvtx_payload_register_schema(schemas, 1, &a), 0);
	assert_int_equal(nvtx_payload_register_schema(schemas, 1, NULL), 0);
	gives(1, SCHEMA(1, NVTX_UNION, 1, one), bytes, 1, "null", 1);
	gives(1, SCHEMA(1, 42, 1, one), bytes, 1, "null", 1);
	gives(1, SCHEMA(1, NVTX_STATIC, 0, far), bytes, 1, "{\"far\":null}", 1);
	/* more fields than the limit: the rest is counted as missing */
	for (size_t i = 0; i < sizeof many / sizeof *many; i++)
		many[i] = (field)FIELD(0, U8, "a", 0, i);
	uint64_t id = SCHEMA(1, NVTX_STATIC, 0, many);
	nvtxPayloadData_t blob = { id, sizeof bytes, bytes };
	char room[ROOM];
	struct nvtx_payload p = rig_put(1, &blob, 1, room);
	assert_int_equal(p.json.len, NVTX_FIELDS_MAX * strlen("\"a\":0,") + 1);
	assert_int_equal(p.odd, 1);
	/* a number that is used again: the later layout replaces the first */
	a = attributes(NVTX_STATIC, one, 1);
	a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
	a.schemaId = id;
	assert_int_equal(nvtx_payload_register_schema(schemas, 1, &a), id);
	gives(1, id, "\7", 1, "{\"a\":7}", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets_by_alignment),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_sizes_from_unusual_fields),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_endless_nesting),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_copied_deep),
		cmocka_unit_test(test_registered_string),
		cmocka_unit_test(test_odd_layouts),
	};
	return cmocka_run_group_tests(tests, rig_begin, rig_end);
}

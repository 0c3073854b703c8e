/* nvtx_client.c - a library with its own copy of NVTX, built twice with
 * different values of CLIENT.
 *
 * When a range begins, this library prints the row that the capture should
 * have: kind, thread, domain, name, payload. */
#include "nvtx_client.h"
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void nvtx_client_say(nvtx_client_fn *inner, void *ctx);
EXPORT bool nvtx_client_recorded(void);

/* The layout of the arguments of a collective in NCCL. */
struct all_reduce {
	uint64_t communicator;
	size_t bytes;
	int32_t op, peer[2];
	char algorithm[8];
};
enum {
	ALL_REDUCE = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 3,
	OP = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 11
};

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t kept;

static void expect(const char *sort, const char *where, const char *name,
	const char *payload)
{
	printf("%s\t%ld\t%s\t%s\t%s\n", sort, (long)syscall(SYS_gettid), where,
		name, payload);
}

static void register_layouts(void)
{
	static const nvtxPayloadEnum_t ops[] = { { "Sum", 0, 0 },
		{ "Max", 2, 0 } };
	static const nvtxPayloadEnumAttr_t e = {
		.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE |
			     NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
		.entries = ops,
		.numEntries = 2,
		.sizeOfEnum = 4,
		.schemaId = OP
	};
	static const nvtxPayloadSchemaEntry_t fields[] = {
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "comm", NULL, 0,
			offsetof(struct all_reduce, communicator), NULL, NULL },
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "bytes", NULL, 0,
			offsetof(struct all_reduce, bytes), NULL, NULL },
		{ 0, OP, "op", NULL, 0, offsetof(struct all_reduce, op), NULL,
			NULL },
		{ NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
			NVTX_PAYLOAD_ENTRY_TYPE_INT32, "peers", NULL, 2,
			offsetof(struct all_reduce, peer), NULL, NULL },
		{ 0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "algorithm", NULL, 8,
			offsetof(struct all_reduce, algorithm), NULL, NULL },
	};
	static const nvtxPayloadSchemaAttr_t a = {
		.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
		.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
		.entries = fields,
		.numEntries = 5,
		.payloadStaticSize = sizeof(struct all_reduce),
		.schemaId = ALL_REDUCE
	};
	nvtxPayloadEnumRegister(domain, &e);
	nvtxPayloadSchemaRegister(domain, &a);
}

static nvtxEventAttributes_t event(int32_t type)
{
	return (nvtxEventAttributes_t){ .version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.messageType = type };
}

static void say_payloads(void)
{
	struct all_reduce call = { UINT64_MAX, 1048576, 2, { -1, 7 }, "ring" };
	nvtxPayloadData_t data = { ALL_REDUCE, sizeof call, &call };
	nvtxEventAttributes_t a = event(NVTX_MESSAGE_TYPE_REGISTERED);
	a.message.registered = kept;
	a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
	a.payload.ullValue = (uintptr_t)&data;
	a.reserved0 = 1;
	nvtxDomainRangePushEx(domain, &a);
	expect("pushed", CLIENT, "ncclAllReduce",
		"{\"comm\":18446744073709551615,\"bytes\":1048576,"
		"\"op\":\"Max\",\"peers\":[-1,7],\"algorithm\":\"ring\"}");
	memset(&call, 0xEE, sizeof call);
	a.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
	a.payload.dValue = -0.25;
	nvtxDomainRangePushEx(domain, &a);
	expect("pushed", CLIENT, "ncclAllReduce", "-0.25");
	nvtxDomainRangePop(domain);
	nvtxDomainRangePop(domain);
}

static void say_texts(void)
{
	char text[] = "aten::mm, op_id = 15, sizes = [[4, 8], [8, 2]]";
	nvtxEventAttributes_t a = event(NVTX_MESSAGE_TYPE_UNICODE);
	a.message.unicode = L"w\u00efde \u20ac \U0001F600";
	nvtxRangePushA(text);
	expect("pushed", "", text, "");
	memset(text, '?', sizeof text - 1);
	nvtxRangePushW(L"gr\u00fc\u00dfe");
	expect("pushed", "",
		"gr\xC3\xBC\xC3\x9F"
		"e",
		"");
	nvtxRangePop();
	nvtxDomainRangePushEx(domain, &a);
	expect("pushed", CLIENT,
		"w\xC3\xAF"
		"de \xE2\x82\xAC \xF0\x9F\x98\x80",
		"");
	/* the ranges of the two domains overlap */
	nvtxRangePop();
	nvtxDomainRangePop(domain);
	nvtxRangePop(); /* one too many: nothing */
}

static void say_loose(void)
{
	nvtxEventAttributes_t a = event(NVTX_MESSAGE_TYPE_ASCII);
	a.message.ascii = "request 2";
	nvtxRangeId_t first = nvtxRangeStartA("request 1");
	expect("loose", "", "request 1", "");
	nvtxRangeId_t second = nvtxDomainRangeStartEx(domain, &a);
	expect("loose", CLIENT, "request 2", "");
	nvtxRangeEnd(first);
	nvtxDomainRangeEnd(domain, second);
	nvtxDomainRangeEnd(domain, second); /* again: nothing */
	nvtxMarkA("a mark is no range");
}

void nvtx_client_say(nvtx_client_fn *inner, void *ctx)
{
	if (!domain) {
		domain = nvtxDomainCreateA(CLIENT);
		kept = nvtxDomainRegisterStringA(domain, "ncclAllReduce");
		register_layouts();
	}
	say_texts();
	nvtxRangePushA("around " CLIENT);
	expect("pushed", "", "around " CLIENT, "");
	if (inner)
		inner(ctx);
	nvtxRangePop();
	say_payloads();
	say_loose();
}

bool nvtx_client_recorded(void)
{
	nvtxRangeId_t id = nvtxRangeStartA("probe");
	nvtxRangeEnd(id);
	return id != 0;
}

/* nvtx_payload.h - what a range carries in addition to its name, as text.
 *
 * A number becomes its digits. Bytes with a registered layout (as NCCL's:
 * sizes, ranks, operations) become a JSON object of their fields, in the
 * same form in which the server writes such bytes from an nsys export. The
 * bytes are the program's: nothing beyond the size it gave is read, and a
 * pointer is followed only if it leads into the event's own payloads or was
 * registered to be copied deep. What cannot be read is null, and counted. */
#pragma once
#include "nvtx_json.h"
#include "nvtx_texts.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NVTX_SCHEMAS_MAX = 1024,
	NVTX_SCHEMAS_BYTES = 2 << 20,
	NVTX_FIELDS_MAX = 128 /* of one schema or enum */
};

enum nvtx_schema_sort {
	NVTX_STATIC = 1, /* numbers of NVTX_PAYLOAD_SCHEMA_TYPE_* */
	NVTX_DYNAMIC = 2,
	NVTX_UNION = 3,
	NVTX_UNION_SELECTED = 4,
	NVTX_ENUM = 100
};

/* Layouts of payloads that programs registered, and enums.
 *
 * Copied when they are registered, never changed from then on. One that is
 * registered again under its number replaces the one before. Bounded: what
 * finds no room is unknown later, and its payloads cannot be read. */
struct nvtx_schemas;

struct nvtx_schemas *nvtx_payload_schemas_new(void);
void nvtx_payload_schemas_free(struct nvtx_schemas *s);

/* From nvtxPayloadSchemaAttr_t and nvtxPayloadEnumAttr_t: the number by which
 * payloads name it, in that domain. */
uint64_t nvtx_payload_register_schema(struct nvtx_schemas *s, uint16_t domain,
	const void *attributes);
uint64_t nvtx_payload_register_enum(struct nvtx_schemas *s, uint16_t domain,
	const void *attributes);

struct nvtx_payload {
	const struct nvtx_schemas *schemas;
	const struct nvtx_texts *texts; /* registered strings */
	uint16_t domain;
	const void *blobs; /* nvtxPayloadData_t, of the event */
	size_t blobs_n;
	struct nvtx_json json; /* what came out; len 0: nothing */
	uint32_t steps; /* bounds schemas that hold each other */
	int64_t odd; /* values and payloads that could not be read */
	const char *message; /* a text that is meant as the range's */
	size_t message_len;
};

/* Writes p->blobs into p->json. */
void nvtx_payload_put(struct nvtx_payload *p);

/* An event's single number, in its usual form; `type` is an
 * nvtxPayloadType_t. False if it is none. */
bool nvtx_payload_number(struct nvtx_json *j, int32_t type, const void *at);

/* nvtx_payload.h - converts the data that a range carries in addition to its
 * name to text.
 *
 * A number becomes its digits. Bytes with a registered layout become a JSON
 * object of their fields (NCCL registers sizes, ranks and operations). The
 * server writes such bytes from an nsys export in the same form. The bytes
 * belong to the program: nothing beyond the size that the program gave is
 * read. A pointer is followed only if it points into the event's own payloads
 * or if it was registered for a deep copy. What cannot be read becomes null
 * and is counted. */
#pragma once
#include "nvtx_json.h"
#include "nvtx_texts.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NVTX_SCHEMAS_MAX = 1024,
	NVTX_SCHEMAS_BYTES = 2 << 20,
	NVTX_FIELDS_MAX = 128 /* fields of one schema or enum */
};

enum nvtx_schema_sort {
	NVTX_STATIC = 1, /* numbers of NVTX_PAYLOAD_SCHEMA_TYPE_* */
	NVTX_DYNAMIC = 2,
	NVTX_UNION = 3,
	NVTX_UNION_SELECTED = 4,
	NVTX_ENUM = 100
};

/* Layouts of payloads, and enums, that programs registered.
 *
 * They are copied when they are registered and never changed afterwards. A
 * layout that is registered again under the same number replaces the previous
 * one. The table is bounded: a layout that finds no room is unknown later, and
 * its payloads cannot be read. */
struct nvtx_schemas;

struct nvtx_schemas *nvtx_payload_schemas_new(void);
void nvtx_payload_schemas_free(struct nvtx_schemas *s);

/* Registers an nvtxPayloadSchemaAttr_t or an nvtxPayloadEnumAttr_t. Returns
 * the number by which payloads in that domain name it. */
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
	struct nvtx_json json; /* the output; len 0: none */
	uint32_t steps; /* limits schemas that contain each other */
	int64_t odd; /* values and payloads that could not be read */
	const char *message; /* a text that is the range's name */
	size_t message_len;
};

/* Writes the payloads p->blobs as JSON to p->json. */
void nvtx_payload_put(struct nvtx_payload *p);

/* Writes an event's single number in its usual form. `type` is an
 * nvtxPayloadType_t. False if the type is not a number. */
bool nvtx_payload_number(struct nvtx_json *j, int32_t type, const void *at);

/* nvtx_schema.h - layouts of payloads that programs registered, and enums.
 *
 * Copied when they are registered, never changed from then on. One that is
 * registered again under its number takes the place of the one before. Bounded:
 * what finds no room is unknown later, and its payloads cannot be read. */
#pragma once
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

struct nvtx_field {
	const char *name; /* "" where it has none */
	uint64_t flags, type; /* as in nvtxPayloadSchemaEntry_t */
	uint64_t detail; /* arrayOrUnionDetail; of an enum the value */
	uint64_t offset;
};

struct nvtx_schema {
	uint64_t id;
	enum nvtx_schema_sort sort;
	const char *name;
	size_t size; /* of a static schema or an enum, in bytes; 0: not given */
	size_t pack; /* most alignment of a field; 0 any */
	uint32_t n;
	uint16_t domain;
	bool cut; /* it has more than NVTX_FIELDS_MAX */
	struct nvtx_field fields[];
};

struct nvtx_schemas;

struct nvtx_schemas *nvtx_schemas_new(void);
void nvtx_schemas_free(struct nvtx_schemas *s);

/* From nvtxPayloadSchemaAttr_t and nvtxPayloadEnumAttr_t: the number by which
 * payloads name it, in that domain. */
uint64_t nvtx_schema_register(struct nvtx_schemas *s, uint16_t domain,
	const void *attributes);
uint64_t nvtx_enum_register(struct nvtx_schemas *s, uint16_t domain,
	const void *attributes);
/* NULL if it is unknown. */
const struct nvtx_schema *nvtx_schemas_find(const struct nvtx_schemas *s,
	uint16_t domain, uint64_t id);

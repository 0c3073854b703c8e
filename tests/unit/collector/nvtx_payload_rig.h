/* nvtx_payload_rig.h - converts one payload to its text. */
#pragma once
#include "nvtx_headers.h"
#include "nvtx_payload.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct nvtx_schemas *schemas;
static struct nvtx_texts *texts;

static int rig_begin(void **state)
{
	(void)state;
	schemas = nvtx_payload_schemas_new();
	texts = nvtx_texts_new();
	return schemas && texts ? 0 : -1;
}

static int rig_end(void **state)
{
	(void)state;
	nvtx_payload_schemas_free(schemas);
	nvtx_texts_free(texts);
	return 0;
}

static nvtxPayloadSchemaAttr_t attributes(uint64_t type,
	const nvtxPayloadSchemaEntry_t *fields, size_t n)
{
	return (nvtxPayloadSchemaAttr_t){
		.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
			     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME,
		.name = "layout",
		.type = type,
		.entries = fields,
		.numEntries = n
	};
}

/* Registers an array of fields; `bytes` 0: without the size. */
#define SCHEMA(domain, type, bytes, fields) \
	rig_schema(domain, type, bytes, fields, sizeof fields / sizeof *fields)

static inline uint64_t rig_schema(uint16_t domain, uint64_t type, size_t bytes,
	const nvtxPayloadSchemaEntry_t *fields, size_t n)
{
	nvtxPayloadSchemaAttr_t a = attributes(type, fields, n);
	a.payloadStaticSize = bytes;
	if (bytes)
		a.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
	uint64_t id = nvtx_payload_register_schema(schemas, domain, &a);
	assert_true(id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
	return id;
}

enum { ROOM = 4096 };

static inline struct nvtx_payload rig_put(uint16_t domain,
	const nvtxPayloadData_t *blobs, size_t n, char room[static ROOM])
{
	struct nvtx_payload p = { .schemas = schemas,
		.texts = texts,
		.domain = domain,
		.blobs = blobs,
		.blobs_n = n,
		.json = { .at = room, .room = ROOM } };
	nvtx_payload_put(&p);
	return p;
}

static inline void all_give(uint16_t domain, const nvtxPayloadData_t *blobs,
	size_t n, const char *want, int odd)
{
	char *room = malloc(ROOM);
	struct nvtx_payload p = rig_put(domain, blobs, n, room);
	assert_true(p.json.len < ROOM);
	room[p.json.len] = '\0';
	assert_string_equal(room, want);
	assert_int_equal(p.odd, odd);
	free(room);
}

/* The bytes are at the end of their own allocation, so that a read past them
 * is detected. */
static inline void gives(uint16_t domain, uint64_t id, const void *bytes,
	size_t size, const char *want, int odd)
{
	size_t there = size == SIZE_MAX ? 24 : size;
	char *copy = malloc(there);
	memcpy(copy, bytes, there);
	nvtxPayloadData_t blob = { id, size, copy };
	all_give(domain, &blob, 1, want, odd);
	free(copy);
}

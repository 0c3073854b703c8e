/* nvtx_kind.h - how many bytes a payload's types take, and what they hold. */
#pragma once
#include "nvtx_payload.h"

/* Signed, unsigned, real; not shown; text; a registered string's handle; a
 * schema or an enum. */
enum nvtx_sort {
	NVTX_NOTHING,
	NVTX_SIGNED,
	NVTX_UNSIGNED,
	NVTX_REAL,
	NVTX_OPAQUE,
	NVTX_TEXT,
	NVTX_HANDLE,
	NVTX_SCHEMA
};

struct nvtx_kind {
	enum nvtx_sort sort;
	uint32_t bytes; /* 0: depends on what is in it, or unknown */
	uint32_t align;
	const struct nvtx_schema *schema; /* of NVTX_SCHEMA */
};

/* Of types that NVTX knows (nvToolsExtPayload.h), as they are where programs of
 * 64 bits run. */
struct nvtx_kind nvtx_kind_known(uint64_t type);
/* Of any type; `depth` bounds schemas within schemas. */
struct nvtx_kind nvtx_kind_of(struct nvtx_payload *p, uint64_t type, int depth);

/* Where a field begins: where it says, else behind the field before, aligned;
 * unknown where that one's end is. */
#define NVTX_PLACE_UNKNOWN SIZE_MAX
size_t nvtx_kind_place(const struct nvtx_schema *s, uint32_t field,
	size_t behind, uint32_t align);

/* made.h - makes records in the layouts of several versions of libcupti.
 *
 * The sizes of versions 18 and 130001 are those of the real libraries. The
 * sizes of the other versions follow CUPTI's release notes. */
#pragma once
#include "records.h"
#include <cupti.h>
#include <string.h>

static const uint32_t made_versions[] = { 18, 24, 28, 130001, 130100, 130400 };
enum { MADE_VERSIONS = sizeof made_versions / sizeof *made_versions };

/* Bytes of a record of this kind; 0 if the version has none. */
static inline uint16_t made_size(uint32_t version, uint32_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
	case CUPTI_ACTIVITY_KIND_KERNEL:
		return version >= 130400   ? 248
		       : version >= 130100 ? 224
		       : version >= 130000 ? 216
		       : version >= 19	   ? 208
					   : 200;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return version >= 26 ? 96 : 88;
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return 96;
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return 88;
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		return 40;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		return version >= 22 ? 56 : 40;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return version >= 21 ? 56 : 48;
	case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
		return 24;
	default:
		return 0;
	}
}

static inline struct layout made_layout(uint32_t version)
{
	struct layout l = { .version = version };
	for (uint32_t kind = 0; kind < RECORD_KINDS; kind++)
		l.size[kind] = made_size(version, kind);
	return l;
}

/* A buffer for records, aligned as CUPTI requires. */
struct made {
	struct layout layout;
	size_t at;
	_Alignas(RECORD_ALIGN) uint8_t bytes[1 << 14];
};

static inline void made_init(struct made *m, uint32_t version)
{
	memset(m, 0, sizeof *m);
	m->layout = made_layout(version);
}

/* Adds a record that is zero except for its kind. */
static inline void *made_add(struct made *m, uint32_t kind)
{
	uint8_t *to = m->bytes + m->at;
	m->at += m->layout.size[kind];
	memcpy(to, &kind, sizeof kind);
	return to;
}

static inline CUpti_ActivityKernel8 *made_kernel(struct made *m,
	const char *name, uint64_t start, uint64_t end)
{
	CUpti_ActivityKernel8 *k =
		made_add(m, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	k->name = name;
	k->start = start;
	k->end = end;
	k->gridX = 128;
	k->gridY = k->gridZ = 1;
	k->blockX = 256;
	k->blockY = k->blockZ = 1;
	k->registersPerThread = 64;
	k->staticSharedMemory = 1024;
	k->dynamicSharedMemory = 2048;
	k->deviceId = 1;
	k->contextId = 2;
	k->streamId = 7;
	k->correlationId = 41;
	return k;
}

static inline CUpti_ActivityAPI *made_call(struct made *m, bool driver,
	uint32_t cbid, uint64_t start, uint64_t end)
{
	CUpti_ActivityAPI *a =
		made_add(m, driver ? CUPTI_ACTIVITY_KIND_DRIVER
				   : CUPTI_ACTIVITY_KIND_RUNTIME);
	a->cbid = cbid;
	a->start = start;
	a->end = end;
	a->processId = 100;
	a->threadId = 101;
	a->correlationId = 41;
	return a;
}

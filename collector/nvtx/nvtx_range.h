/* nvtx_range.h - what all forms of NVTX's calls come to. */
#pragma once
#include "nvtx_headers.h"
#include "nvtx_world.h"

struct nvtx_call {
	uint16_t domain; /* nvtx_domain.h */
	int32_t message_type; /* nvtxMessageType_t */
	const void *message;
	int32_t payload_type; /* nvtxPayloadType_t, NVTX_PAYLOAD_TYPE_EXT */
	const void *payload; /* the number, or nvtxPayloadData_t */
	size_t payloads; /* how many of the latter */
};

/* `a` may be NULL, or of a version that is shorter than ours. */
struct nvtx_call nvtx_call_of(uint16_t domain, const nvtxEventAttributes_t *a);

int nvtx_range_push(const struct nvtx_call *c);
/* Of the call, domain and payload; that is the range's where it began without
 * one. */
int nvtx_range_pop(const struct nvtx_call *c);
/* 0 outside windows: the range is not told then, whenever it ends. */
nvtxRangeId_t nvtx_range_start(const struct nvtx_call *c);
void nvtx_range_end(nvtxRangeId_t id);
void nvtx_range_mark(void);

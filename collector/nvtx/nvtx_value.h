/* nvtx_value.h - one value of a payload's bytes. */
#pragma once
#include "nvtx_kind.h"

/* null, and counted. */
void nvtx_value_null(struct nvtx_payload *p);
/* 1 to 8 bytes as a number. */
uint64_t nvtx_value_whole(const char *at, uint32_t bytes, bool is_signed);
/* Of anything but a schema with fields. */
void nvtx_value_put(struct nvtx_payload *p, struct nvtx_kind k, const char *at,
	size_t len);

/* nvtx_headers.h - NVTX's own types, without what makes a program its client. */
#pragma once
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#undef NVTX_NO_IMPL

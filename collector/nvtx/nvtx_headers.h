/* nvtx_headers.h - includes NVTX's types without the code that makes a program
 * an NVTX client. */
#pragma once
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#undef NVTX_NO_IMPL

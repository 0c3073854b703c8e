/* nvtx_handlers.h - the functions that replace NVTX's empty ones.
 *
 * Names of threads, categories, streams and resources are ignored: a row has
 * its thread by number, like the launches that it is joined with, and no
 * column for the rest. */
#pragma once
#include "nvtx_headers.h"

/* Puts them into a client's tables, where these have a place for them. */
void nvtx_core_fill(NvtxFunctionTable table, unsigned n);
void nvtx_core2_fill(NvtxFunctionTable table, unsigned n);
void nvtx_extension_fill(intptr_t *slots, size_t n);

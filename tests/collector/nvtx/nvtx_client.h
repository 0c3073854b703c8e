/* nvtx_client.h - makes NVTX calls and prints the ranges to standard output. */
#pragma once
#include <stdbool.h>

/* Each of the two libraries, which have their own copy of NVTX, has this
 * function. It makes ranges of all kinds, and calls inner(ctx) inside one of
 * them. */
typedef void nvtx_client_fn(void *ctx);
void nvtx_client_say(nvtx_client_fn *inner, void *ctx);
/* Whether the collector records. */
bool nvtx_client_recorded(void);

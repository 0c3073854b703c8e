/* nvtx_client.h - makes NVTX calls, and prints them to standard output. */
#pragma once
#include <stdbool.h>

/* In each of the two libraries, which have their own NVTX: ranges of all kinds,
 * and one around inner(ctx). */
typedef void nvtx_client_fn(void *ctx);
void nvtx_client_say(nvtx_client_fn *inner, void *ctx);
/* Whether the collector records. */
bool nvtx_client_recorded(void);

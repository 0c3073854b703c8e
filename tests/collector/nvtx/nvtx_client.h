/* teller.h - says something by NVTX, and to standard output what it said. */
#pragma once
#include <stdbool.h>

/* In each of the two libraries, which have NVTX of their own: ranges of all
 * sorts, and one around inner(ctx). */
typedef void teller_fn(void *ctx);
void teller_say(teller_fn *inner, void *ctx);
/* Whether the collector records. */
bool teller_recorded(void);

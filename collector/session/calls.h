/* calls.h - CUDA's API calls by number: their names, and which of them launch
 * work.
 *
 * Every toolkit adds numbers: CUDA 13 launches through a call that CUDA 12
 * does not have. So the collector reads the names of all calls from libcupti,
 * once, and recognizes launches by name. */
#pragma once
#include "library.h"
#include <stdint.h>

enum { CALLS_MAX = 2048 }; /* maximum per domain; CUDA 13.0 has 806 */

struct calls {
	const char *name[2][CALLS_MAX]; /* [driver]; NULL: no such call */
	uint16_t launch[2][64]; /* numbers of the calls that launch */
	int launches[2];
};

/* Names belong to libcupti and are valid as long as it is loaded. */
void calls_find(struct calls *c, const struct library *l);
/* NULL if there is no such call. */
const char *calls_name(const struct calls *c, bool driver, uint32_t cbid);
/* Whether a call puts kernels or graphs on a device. `name` is the call's name
 * in CUPTI. */
bool calls_launches(const char *name);

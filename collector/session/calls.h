/* calls.h - CUDA's calls by number: their names, and which of them launch
 * work.
 *
 * Every toolkit adds numbers: CUDA 13 launches through a call that CUDA 12
 * did not have. So the collector reads the names of all of them from
 * libcupti, once, and recognizes launches by the name. */
#pragma once
#include "library.h"
#include <stdint.h>

enum { CALLS_MAX = 2048 }; /* of each domain; 806 in CUDA 13.0 */

struct calls {
	const char *name[2][CALLS_MAX]; /* [driver]; NULL: no such call */
	uint16_t launch[2][64]; /* numbers of those that launch */
	int launches[2];
};

/* Names belong to libcupti and stay as long as it does. */
void calls_find(struct calls *c, const struct library *l);
/* NULL: no such call. */
const char *calls_name(const struct calls *c, bool driver, uint32_t cbid);
/* From a call's name in CUPTI: whether the call puts kernels or graphs on a
 * device. */
bool calls_launches(const char *name);

/* calls.h - CUDA's calls by number: their names, and which of them launch work.
 *
 * Numbers are added with every toolkit: CUDA 13 launches through one that CUDA
 * 12 did not have. So libcupti is asked for the names of all of them, once, and
 * what launches is told by the name. */
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
/* Of a name as CUPTI tells it: whether the call puts kernels or graphs on a
 * device. */
bool calls_launches(const char *name);

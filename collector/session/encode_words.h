/* encode_words.h - how copies, calls and the profiler's own work are called.
 *
 * As Kineto calls them, so that runs of both compare. */
#pragma once
#include "records.h"

enum {
	WORDS_LONGEST = 96,
	WORDS_COPY_KINDS = 16, /* of each of the three numbers of a copy */
};

/* "Memcpy HtoD (Pageable -> Device)", "Memset (Device)"; its length. */
size_t words_copy(const struct copy_record *c, char to[static WORDS_LONGEST]);
/* "Buffer Flush"; never NULL. */
const char *words_overhead(uint32_t what);

/* The name of a call without the version that CUPTI puts behind it:
 * cudaLaunchKernel_v7000; how long it then is. */
size_t words_call(const char *name);
/* Whether it launches, copies or sets something on a GPU. */
bool words_call_acts(const char *name);

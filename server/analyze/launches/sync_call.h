/* sync_call.h - the API calls in which the host only waits for the device, and
 * the names of API calls without their suffixes.
 *
 * Nsight Systems appends `_v3020` and `_ptsz` to names, so one API call may
 * have several names. */
#pragma once
#include <stddef.h>

enum {
#define SYNC_CALL(name) SYNC_CALL_##name,
#include "sync_call.def"
#undef SYNC_CALL
	SYNC_CALLS
};

/* The length of an API call's name without `_v` and digits, and without the
 * suffix of calls that use per-thread streams. */
size_t sync_call_bare_len(const char *name, size_t len);

/* The number of an API call in the list; SYNC_CALLS if it is not in the list. */
size_t sync_call_find(const char *name, size_t len);

/* The name of a number below SYNC_CALLS, without suffixes. */
const char *sync_call_name(size_t number);

/* sync_call.h - calls in which the host waits for the device.
 *
 * The list is sync_call.def. Nsight Systems puts `_v3020` and `_ptsz` behind
 * their names; they are the same calls. */
#pragma once
#include "trace.h"

/* The call's name as listed; NULL if it is none of these. */
const char *sync_call_of(const char *name, size_t len);

/* By id of a name of the trace: the first id of the same call, NAMES_NONE if
 * it is none. NULL if the arena is full; to be arena_drop()ped. */
uint32_t *sync_calls_of(const struct trace *t, struct arena *a);

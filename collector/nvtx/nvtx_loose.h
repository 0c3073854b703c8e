/* nvtx_loose.h - ranges that any thread may end: NVTX start and end.
 *
 * A lock-free, bounded table of open ranges. A thread that takes a range out
 * of the table, to end it or to write it, is the only one that uses it. */
#pragma once
#include "nvtx_thread.h"

enum { NVTX_LOOSE_MAX = 2048, NVTX_LOOSE_BYTES = 57 * 8 };

struct nvtx_loose;

struct nvtx_loose *nvtx_loose_new(void);
void nvtx_loose_free(struct nvtx_loose *l);

/* Returns the range's id, or 0 if it found no room. The text and then the
 * payload of `label` are cut to NVTX_LOOSE_BYTES. *cut is whether the payload
 * was cut. */
uint64_t nvtx_loose_start(struct nvtx_loose *l, const struct nvtx_label *label,
	const char *payload, uint32_t thread, int64_t start_ns, bool *cut);

/* Ends a range: sets all members of `e` except its end. `body` has room for
 * NVTX_LOOSE_BYTES. False if the range is not open because it never existed or
 * has ended already. */
bool nvtx_loose_end(struct nvtx_loose *l, uint64_t id, struct nvtx_event *e,
	_Atomic uint64_t *body);
/* Takes the next open range out of the table like nvtx_loose_end(). *at is 0
 * for the first call. */
bool nvtx_loose_next(struct nvtx_loose *l, uint32_t *at, struct nvtx_event *e,
	_Atomic uint64_t *body);

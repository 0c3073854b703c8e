/* nvtx_loose.h - ranges that any thread may end: NVTX start and end.
 *
 * A table of what is open, lock-free and bounded. Whoever gets a range out of
 * it, the thread that ends it or the one that writes, has it alone. */
#pragma once
#include "nvtx_thread.h"

enum { NVTX_LOOSE_MAX = 2048, NVTX_LOOSE_BYTES = 57 * 8 };

struct nvtx_loose;

struct nvtx_loose *nvtx_loose_new(void);
void nvtx_loose_free(struct nvtx_loose *l);

/* The range's id; 0 where it found no room. Of what is `said` the text and then
 * the payload are cut to NVTX_LOOSE_BYTES; *cut where the payload was. */
uint64_t nvtx_loose_start(struct nvtx_loose *l, const struct nvtx_label *said,
	const char *payload, uint32_t thread, int64_t start_ns, bool *cut);

/* Its end: `e` is told but for the end; `body` has room for NVTX_LOOSE_BYTES.
 * False where no such range is open: never was, or has ended. */
bool nvtx_loose_end(struct nvtx_loose *l, uint64_t id, struct nvtx_event *e,
	_Atomic uint64_t *body);
/* The same of the next one that is open, whatever it is; *at begins with 0. */
bool nvtx_loose_next(struct nvtx_loose *l, uint32_t *at, struct nvtx_event *e,
	_Atomic uint64_t *body);

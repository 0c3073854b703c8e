/* nvtx_drain.h - from rings and open ranges to rows.
 *
 * Of the one thread that writes. A range is told once: whole, when it ends;
 * or in the pieces that lie in windows, where it is still open when one closes.
 * It remembers which open ranges it told, so that their ends, whenever they
 * come, are not told again. */
#pragma once

struct nvtx_drainer;
struct nvtx_world;
struct scribe;

struct nvtx_drainer *nvtx_drainer_new(void);
void nvtx_drainer_free(struct nvtx_drainer *d);

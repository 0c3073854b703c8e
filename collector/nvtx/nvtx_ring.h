/* nvtx_ring.h - passes ranges that ended from one thread to the writing
 * thread.
 *
 * One thread puts ranges and one takes them. Neither waits. A range is four
 * words followed by its text and its payload. A full ring accepts no more
 * ranges: the newest ones are lost, and the putting thread counts them. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NVTX_RING_WORDS = 1 << 15 }; /* 256 KiB */

enum nvtx_event_flag { NVTX_LOOSE = 1 };

struct nvtx_event {
	int64_t start_ns, end_ns; /* start 0: the range began before
				   * recording */
	uint32_t text; /* number in nvtx_texts.h; 0: the text follows the
		        * event */
	uint16_t domain;
	uint8_t place, flags; /* in the thread's stack; enum nvtx_event_flag */
	uint16_t text_len, payload_len; /* bytes; each begins at a full word */
	uint32_t thread;
};

struct nvtx_ring {
	uint64_t *words; /* NVTX_RING_WORDS */
	_Alignas(64) _Atomic uint64_t put; /* number of words written so far */
	uint64_t taken_seen; /* the putting thread's copy of `taken` */
	bool reported; /* *half was set to true for this filling */
	_Alignas(64) _Atomic uint64_t taken;
};

static inline size_t nvtx_words(size_t bytes)
{
	return (bytes + 7) / 8;
}

/* False if there is no room. *half becomes true once per filling, when the
 * ring is half full, so that the caller can wake the writing thread. */
bool nvtx_ring_put(struct nvtx_ring *r, const struct nvtx_event *e,
	const _Atomic uint64_t *body, bool *half);
/* Takes the oldest range; `body` has room for NVTX_BODY_MOST words. False if
 * the ring is empty. */
enum { NVTX_BODY_MOST = 2 * (1 << 16) / 8 };
bool nvtx_ring_take(struct nvtx_ring *r, struct nvtx_event *e, uint64_t *body);

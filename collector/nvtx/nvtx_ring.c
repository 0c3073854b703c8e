/* nvtx_ring.c - words up to `put` are whole; words up to `taken` are free. */
#include "nvtx_ring.h"
#include <assert.h>
#include <string.h>

enum { MASK = NVTX_RING_WORDS - 1, HEAD = sizeof(struct nvtx_event) / 8 };
static_assert(sizeof(struct nvtx_event) == 32, "four words");

static size_t body_words(const struct nvtx_event *e)
{
	return nvtx_words(e->text_len) + nvtx_words(e->payload_len);
}

/* How full it will be; looks at the other side only where that matters. */
static uint64_t used_by(struct nvtx_ring *r, uint64_t put)
{
	if (put - r->taken_seen > NVTX_RING_WORDS / 2)
		r->taken_seen =
			atomic_load_explicit(&r->taken, memory_order_acquire);
	return put - r->taken_seen;
}

bool nvtx_ring_put(struct nvtx_ring *r, const struct nvtx_event *e,
	const _Atomic uint64_t *body, bool *half)
{
	uint64_t head[HEAD];
	size_t n = body_words(e);
	uint64_t at = atomic_load_explicit(&r->put, memory_order_relaxed);
	uint64_t used = used_by(r, at + HEAD + n);

	*half = used > NVTX_RING_WORDS / 2 && !r->told;
	r->told = used > NVTX_RING_WORDS / 2;
	if (used > NVTX_RING_WORDS)
		return false;
	memcpy(head, e, sizeof head);
	for (size_t i = 0; i < HEAD; i++)
		r->words[at++ & MASK] = head[i];
	for (size_t i = 0; i < n; i++)
		r->words[at++ & MASK] =
			atomic_load_explicit(&body[i], memory_order_relaxed);
	atomic_store_explicit(&r->put, at, memory_order_release);
	return true;
}

bool nvtx_ring_take(struct nvtx_ring *r, struct nvtx_event *e, uint64_t *body)
{
	uint64_t head[HEAD];
	uint64_t at = atomic_load_explicit(&r->taken, memory_order_relaxed);

	if (at == atomic_load_explicit(&r->put, memory_order_acquire))
		return false;
	for (size_t i = 0; i < HEAD; i++)
		head[i] = r->words[at++ & MASK];
	memcpy(e, head, sizeof *e);
	for (size_t i = 0, n = body_words(e); i < n; i++)
		body[i] = r->words[at++ & MASK];
	atomic_store_explicit(&r->taken, at, memory_order_release);
	return true;
}

/* nvtx_loose.c - a table of slots for NVTX start/end ranges. A slot is free,
 * busy, or contains the id of an open range.
 *
 * The upper bits of an id are a counter and the lower bits its slot, so that
 * no id occurs twice. */
#include "nvtx_loose.h"
#include "nvtx_room.h"
#include <string.h>

enum { FREE = 0, BUSY = 1, PROBES = 64 };

struct slot {
	_Atomic uint64_t id; /* FREE, BUSY, or the range's id */
	struct nvtx_event event; /* written by the thread that set BUSY */
	uint64_t body[NVTX_LOOSE_BYTES / 8];
};

struct nvtx_loose {
	_Atomic uint64_t count; /* number of ids so far */
	struct slot slots[NVTX_LOOSE_MAX];
};

struct nvtx_loose *nvtx_loose_new(void)
{
	return nvtx_room(sizeof(struct nvtx_loose));
}

void nvtx_loose_free(struct nvtx_loose *l)
{
	munmap(l, sizeof *l);
}

static bool nvtx_loose_claim(struct slot *s, uint64_t id)
{
	return atomic_load_explicit(&s->id, memory_order_relaxed) == id &&
	       atomic_compare_exchange_strong_explicit(&s->id, &id, BUSY,
		       memory_order_acquire, memory_order_relaxed);
}

static void nvtx_loose_fill(struct slot *s, const struct nvtx_label *label,
	const char *payload, bool *cut)
{
	size_t len = label->id ? 0 : label->len, extra = label->payload_len;
	if (len > NVTX_LOOSE_BYTES)
		len = NVTX_LOOSE_BYTES;
	size_t at = nvtx_words(len);
	*cut = extra > NVTX_LOOSE_BYTES - 8 * at;
	extra = *cut ? 0 : extra;
	memset(s->body, 0, sizeof s->body);
	memcpy(s->body, label->text, len);
	memcpy(s->body + at, payload, extra);
	s->event.text = label->id;
	s->event.text_len = (uint16_t)len;
	s->event.payload_len = (uint16_t)extra;
}

uint64_t nvtx_loose_start(struct nvtx_loose *l, const struct nvtx_label *label,
	const char *payload, uint32_t thread, int64_t start_ns, bool *cut)
{
	for (int i = 0; i < PROBES; i++) {
		uint64_t n = 1 + atomic_fetch_add_explicit(&l->count, 1,
					 memory_order_relaxed);
		struct slot *s = &l->slots[n % NVTX_LOOSE_MAX];
		if (!nvtx_loose_claim(s, FREE))
			continue;
		s->event = (struct nvtx_event){ .start_ns = start_ns,
			.domain = label->domain,
			.flags = NVTX_LOOSE,
			.thread = thread };
		nvtx_loose_fill(s, label, payload, cut);
		uint64_t id = n + NVTX_LOOSE_MAX;
		atomic_store_explicit(&s->id, id, memory_order_release);
		return id;
	}
	*cut = false;
	return 0;
}

/* The calling thread must have set this slot to BUSY. */
static void nvtx_loose_hand_over(struct slot *s, struct nvtx_event *e,
	_Atomic uint64_t *body)
{
	*e = s->event;
	size_t n = nvtx_words(e->text_len) + nvtx_words(e->payload_len);
	for (size_t i = 0; i < n; i++)
		atomic_store_explicit(&body[i], s->body[i],
			memory_order_relaxed);
	atomic_store_explicit(&s->id, FREE, memory_order_release);
}

bool nvtx_loose_end(struct nvtx_loose *l, uint64_t id, struct nvtx_event *e,
	_Atomic uint64_t *body)
{
	struct slot *s = &l->slots[id % NVTX_LOOSE_MAX];
	if (id <= NVTX_LOOSE_MAX || !nvtx_loose_claim(s, id))
		return false;
	nvtx_loose_hand_over(s, e, body);
	return true;
}

bool nvtx_loose_next(struct nvtx_loose *l, uint32_t *at, struct nvtx_event *e,
	_Atomic uint64_t *body)
{
	while (*at < NVTX_LOOSE_MAX) {
		struct slot *s = &l->slots[(*at)++];
		uint64_t id =
			atomic_load_explicit(&s->id, memory_order_relaxed);
		if (id <= BUSY || !nvtx_loose_claim(s, id))
			continue;
		nvtx_loose_hand_over(s, e, body);
		return true;
	}
	return false;
}

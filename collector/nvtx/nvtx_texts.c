/* nvtx_texts.c - a hash table of positions, and the texts one after another.
 *
 * A text is complete before its slot in the table is claimed, and it never
 * changes afterwards. If another thread claimed the slot first, with the same
 * text, this thread's copy stays unused. */
#include "nvtx_texts.h"
#include "nvtx_room.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { PLACES = 2 * NVTX_TEXTS_MAX, PROBES = 64 };

struct nvtx_texts_entry {
	uint32_t at, len, domain;
};

struct nvtx_texts {
	_Atomic uint32_t count, bytes; /* numbers and bytes in use */
	_Atomic uint64_t places[PLACES]; /* upper bits: hash; lower bits:
					  * number */
	struct nvtx_texts_entry list[NVTX_TEXTS_MAX];
	char room[NVTX_TEXTS_BYTES];
};

struct nvtx_texts *nvtx_texts_new(void)
{
	return nvtx_room(sizeof(struct nvtx_texts));
}

void nvtx_texts_free(struct nvtx_texts *t)
{
	munmap(t, sizeof *t);
}

static uint64_t nvtx_texts_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

static uint64_t nvtx_texts_hash_of(uint32_t domain, const char *text,
	size_t len)
{
	uint64_t h = nvtx_texts_mix(len, domain), word;
	for (; len >= sizeof word; len -= sizeof word, text += sizeof word) {
		memcpy(&word, text, sizeof word);
		h = nvtx_texts_mix(h, word);
	}
	word = 0;
	memcpy(&word, text, len);
	return nvtx_texts_mix(nvtx_texts_mix(h, word), h >> 32);
}

static bool nvtx_texts_is(const struct nvtx_texts *t, uint32_t id,
	uint32_t domain, const char *text, size_t len)
{
	const struct nvtx_texts_entry *e = &t->list[id];
	return e->len == len && e->domain == domain &&
	       memcmp(t->room + e->at, text, len) == 0;
}

/* Adds `n` to a number and returns its old value. If the sum would exceed
 * `most`, adds nothing and returns `most`. */
static uint32_t nvtx_texts_take(_Atomic uint32_t *of, uint32_t n, uint32_t most)
{
	uint32_t at = atomic_load_explicit(of, memory_order_relaxed);
	do {
		if (n > most - at)
			return most;
	} while (!atomic_compare_exchange_weak_explicit(of, &at, at + n,
		memory_order_relaxed, memory_order_relaxed));
	return at;
}

static uint32_t nvtx_texts_add(struct nvtx_texts *t, uint32_t domain,
	const char *text, size_t len)
{
	uint32_t at = len < NVTX_TEXTS_BYTES
			      ? nvtx_texts_take(&t->bytes, (uint32_t)len + 1,
					NVTX_TEXTS_BYTES)
			      : NVTX_TEXTS_BYTES;
	if (at == NVTX_TEXTS_BYTES)
		return 0;
	uint32_t id = nvtx_texts_take(&t->count, 1, NVTX_TEXTS_MAX - 1);
	if (id == NVTX_TEXTS_MAX - 1)
		return 0;
	memcpy(t->room + at, text, len);
	t->list[++id] = (struct nvtx_texts_entry){ at, (uint32_t)len, domain };
	return id;
}

uint32_t nvtx_texts_put(struct nvtx_texts *t, uint32_t domain, const char *text,
	size_t len)
{
	if (len >= NVTX_TEXTS_BYTES)
		return 0;
	uint64_t hash = nvtx_texts_hash_of(domain, text, len);
	uint32_t own = 0;
	for (uint32_t n = 0; n < PROBES; n++) {
		_Atomic uint64_t *place = &t->places[(hash + n) % PLACES];
		uint64_t is_there =
			atomic_load_explicit(place, memory_order_acquire);
		if (is_there == 0) {
			own = own ? own : nvtx_texts_add(t, domain, text, len);
			if (own == 0 ||
				atomic_compare_exchange_strong_explicit(place,
					&is_there, hash >> 32 << 32 | own,
					memory_order_acq_rel,
					memory_order_acquire))
				return own;
		}
		if (is_there >> 32 == hash >> 32 &&
			nvtx_texts_is(t, (uint32_t)is_there, domain, text, len))
			return (uint32_t)is_there;
	}
	return 0;
}

static const struct nvtx_texts_entry *nvtx_texts_text_of(const struct nvtx_texts
								 *t,
	uint32_t id)
{
	static const struct nvtx_texts_entry nothing;
	return id < NVTX_TEXTS_MAX ? &t->list[id] : &nothing;
}

const char *nvtx_texts_get(const struct nvtx_texts *t, uint32_t id, size_t *len)
{
	const struct nvtx_texts_entry *e = nvtx_texts_text_of(t, id);
	*len = e->len;
	return e->len ? t->room + e->at : "";
}

uint32_t nvtx_texts_domain(const struct nvtx_texts *t, uint32_t id)
{
	return nvtx_texts_text_of(t, id)->domain;
}

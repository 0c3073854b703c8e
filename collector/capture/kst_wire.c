/* kst_wire.c - heads, openings, numbers in bytes. */
#include "kst_wire.h"
#include <string.h>

void kst_head_put(uint8_t to[KST_HEAD], const struct kst_head *h)
{
	memcpy(to, KST_CHUNK_MAGIC, 4);
	kst_put32(to + 8, h->payload_crc);
	kst_put32(to + 12, h->capture);
	kst_put32(to + 16, h->seq);
	kst_put32(to + 20, h->payload_len);
	kst_put32(to + 24, h->raw_len);
	kst_put32(to + 28, h->rows);
	to[32] = h->kind;
	to[33] = h->codec;
	kst_put16(to + 34, 0);
	kst_put64(to + 36, (uint64_t)h->first_ns);
	kst_put64(to + 44, (uint64_t)h->last_ns);
	kst_put32(to + 4, kst_crc(0, to + 8, KST_HEAD - 8));
}

bool kst_head_get(const uint8_t from[KST_HEAD], struct kst_head *h)
{
	if (memcmp(from, KST_CHUNK_MAGIC, 4) ||
		kst_get32(from + 4) != kst_crc(0, from + 8, KST_HEAD - 8))
		return false;
	*h = (struct kst_head){
		.payload_crc = kst_get32(from + 8),
		.capture = kst_get32(from + 12),
		.seq = kst_get32(from + 16),
		.payload_len = kst_get32(from + 20),
		.raw_len = kst_get32(from + 24),
		.rows = kst_get32(from + 28),
		.kind = from[32],
		.codec = from[33],
		.first_ns = (int64_t)kst_get64(from + 36),
		.last_ns = (int64_t)kst_get64(from + 44),
	};
	return true;
}

void kst_opening_put(uint8_t to[KST_OPENING])
{
	memcpy(to, KST_MAGIC, 8);
	kst_put16(to + 8, KST_MAJOR);
	kst_put16(to + 10, KST_MINOR);
	kst_put32(to + 12, kst_crc(0, to, 12));
}

bool kst_opening_get(const uint8_t from[KST_OPENING], uint16_t *major,
	uint16_t *minor, bool *good)
{
	*major = kst_get16(from + 8);
	*minor = kst_get16(from + 10);
	*good = kst_get32(from + 12) == kst_crc(0, from, 12);
	return !memcmp(from, KST_MAGIC, 8);
}

const uint8_t *kst_varint_get(const uint8_t *at, const uint8_t *end,
	uint64_t *v)
{
	*v = 0;
	for (int shift = 0; at < end && shift < 64; shift += 7) {
		uint64_t bits = *at & 0x7F;
		if (shift == 63 && bits > 1)
			return NULL;
		*v |= bits << shift;
		if (!(*at++ & 0x80))
			return at;
	}
	return NULL;
}

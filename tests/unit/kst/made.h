/* made.h - makes capture files chunk by chunk, with correct checksums. */
#pragma once
#include "captures.h"

/* A capture with one chunk of the test between an about and an end. */
struct made {
	struct bytes b;
	uint32_t seq;
};

static inline void chunk_add(struct made *m, int kind, uint32_t rows,
	const void *raw, size_t len, size_t raw_len)
{
	struct kst_head h = { .kind = (uint8_t)kind,
		.rows = rows,
		.payload_len = (uint32_t)len,
		.raw_len = (uint32_t)raw_len,
		.codec = len == raw_len ? KST_CODEC_NONE : KST_CODEC_ZSTD,
		.payload_crc = kst_crc(0, raw, len),
		.capture = 5,
		.seq = m->seq++ };
	uint8_t head[KST_HEAD];
	kst_head_put(head, &h);
	bytes_add(&m->b, head, sizeof head);
	bytes_add(&m->b, raw, len);
}

static inline struct made made_new(uint16_t major, uint16_t minor)
{
	struct made m = { bytes_new(), 0 };
	uint8_t opening[KST_OPENING];
	kst_opening_put(opening);
	opening[8] = (uint8_t)major;
	opening[10] = (uint8_t)minor;
	uint32_t crc = kst_crc(0, opening, 12);
	for (int i = 0; i < 4; i++)
		opening[12 + i] = (uint8_t)(crc >> 8 * i);
	bytes_add(&m.b, opening, sizeof opening);
	return m;
}

static inline struct reading made_reading(struct made *m)
{
	chunk_add(m, KST_end, 0, "", 0, 0);
	struct reading t = reading_from(&m->b, SIZE_MAX);
	free(m->b.at);
	return t;
}

/* int128.h - whole numbers of 128 bits: sums of weighted nanoseconds pass 64.
 *
 * Two forms: PostgreSQL's numeric, in binary; and the bytes of rollups, where a
 * number takes as few as it needs: zigzag (0, -1, 1, -2, …), then seven bits a
 * byte, the lowest first, the high bit set on all but the last. */
#pragma once
#include "buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __int128 int128;

/* Bytes of the longest numeric: ten digits of base 10,000 behind their head. */
enum { WIDE_NUMERIC = 28 };

/* How many bytes of `to` v >= 0 takes as a numeric. */
size_t wide_to_numeric(int128 v, char to[WIDE_NUMERIC]);
/* The whole part; 0 where NaN, infinite or beyond 128 bits. */
int128 wide_from_numeric(const void *bytes, size_t len);

void wide_put(struct buf *b, int128 v);
/* The same, quicker to read: as many bytes as it needs in two's complement, the
 * lowest first, 1 to 16, behind a number that tells how many, and 32 times
 * `beside`. That one is written as above, but for the zigzag. */
void wide_put_beside(struct buf *b, uint32_t beside, int128 v);

/* Bytes that numbers are read from; `bad` stays once they broke off. */
struct wide_bytes {
	const uint8_t *at, *end;
	bool bad;
};
/* Those that a loop over nine bytes does not end. */
int128 wide_next_long(struct wide_bytes *b, uint64_t low);

static inline int128 wide_next(struct wide_bytes *b)
{
	uint64_t low = 0;
	/* Most numbers fit nine bytes, and 64 bits are quicker. */
	for (unsigned shift = 0; shift < 63 && b->at < b->end; shift += 7) {
		uint8_t byte = *b->at++;
		low |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return (int64_t)(low >> 1) ^ -(int64_t)(low & 1);
	}
	return wide_next_long(b, low);
}

static inline int128 wide_next_beside(struct wide_bytes *b, uint32_t *beside)
{
	uint64_t head = 0, low = 0;
	unsigned shift = 0;
	for (; b->at < b->end && *b->at >= 0x80 && shift < 42; shift += 7)
		head |= (uint64_t)(*b->at++ & 0x7f) << shift;
	if (b->at < b->end)
		head |= (uint64_t)*b->at++ << shift;
	unsigned len = head & 31;
	*beside = (uint32_t)(head >> 5);
	if (!len || len > 16 || len > (size_t)(b->end - b->at)) {
		b->bad = true;
		return 0;
	}
	const uint8_t *at = b->at;
	b->at += len;
	if (len > 8) {
		unsigned __int128 all = 0;
		memcpy(&all, at, len);
		return (int128)(all << (128 - 8 * len)) >> (128 - 8 * len);
	}
	if (b->end - at >= 8)
		memcpy(&low, at, 8);
	else
		memcpy(&low, at, len);
	return (int64_t)(low << (64 - 8 * len)) >> (64 - 8 * len);
}

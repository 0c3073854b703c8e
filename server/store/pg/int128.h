/* int128.h - integers of 128 bits: sums of weighted nanoseconds exceed 64 bits.
 *
 * There are two formats. One is PostgreSQL's binary numeric. The other is the
 * format of rollups, which uses as few bytes as a number needs. It encodes the
 * sign by zigzag (0, -1, 1, -2, …), then writes seven bits per byte, the lowest
 * bits first. The high bit is set on all bytes except the last. */
#pragma once
#include "buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __int128 int128;

/* Length of the longest numeric: a header and ten digits of base 10,000. */
enum { INT128_NUMERIC = 28 };

/* Writes v >= 0 as a numeric and returns its number of bytes. */
size_t int128_to_numeric(int128 v, char to[INT128_NUMERIC]);
/* Reads the integer part; 0 if the number is NaN, infinite or exceeds 128
 * bits. */
int128 int128_from_numeric(const void *bytes, size_t len);

void int128_put(struct buf *b, int128 v);
/* Writes v with a second number `tag`, in a form that is faster to read. First
 * 32 * tag + the number of bytes of v is written as above, without zigzag. Then
 * v follows in two's complement, in 1 to 16 bytes, the lowest first. */
void int128_put_tagged(struct buf *b, uint32_t tag, int128 v);

/* Bytes that numbers are read from. `bad` is set, and stays set, when the bytes
 * end too early. */
struct int128_reader {
	const uint8_t *at, *end;
	bool bad;
};
/* Continues a number of more than nine bytes. */
int128 int128_next_long(struct int128_reader *b, uint64_t low);

static inline int128 int128_next(struct int128_reader *b)
{
	uint64_t low = 0;
	/* Most numbers have at most nine bytes, and 64-bit arithmetic is
	 * faster. */
	for (unsigned shift = 0; shift < 63 && b->at < b->end; shift += 7) {
		uint8_t byte = *b->at++;
		low |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return (int64_t)(low >> 1) ^ -(int64_t)(low & 1);
	}
	return int128_next_long(b, low);
}

static inline int128 int128_next_tagged(struct int128_reader *b, uint32_t *tag)
{
	uint64_t head = 0, low = 0;
	unsigned shift = 0;
	for (; b->at < b->end && *b->at >= 0x80 && shift < 42; shift += 7)
		head |= (uint64_t)(*b->at++ & 0x7f) << shift;
	if (b->at < b->end)
		head |= (uint64_t)*b->at++ << shift;
	unsigned len = head & 31;
	*tag = (uint32_t)(head >> 5);
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

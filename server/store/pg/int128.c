/* int128.c - integers of 128 bits as PostgreSQL numeric, and as bytes. */
#include "int128.h"
#include "pgwire.h"
#include <assert.h>
#include <endian.h>

enum { HEAD = 8, BASE = 10000, DIGITS = 10, BITS = 128 };
static const int POSITIVE = 0, NEGATIVE = 0x4000;

static_assert(__BYTE_ORDER == __LITTLE_ENDIAN,
	"numbers are copied with the lowest byte first");

typedef unsigned __int128 uint128;

size_t int128_to_numeric(int128 v, char to[INT128_NUMERIC])
{
	int16_t digit[DIGITS] = { 0 };
	int n = 0, skip = 0;
	assert(v >= 0);
	for (; v; v /= BASE)
		digit[n++] = (int16_t)(v % BASE);
	/* The weight of the first digit shows how many zeros follow. */
	while (skip < n && !digit[skip])
		skip++;
	pgwire_put16(to, (int16_t)(n - skip));
	pgwire_put16(to + 2, (int16_t)(n ? n - 1 : 0));
	pgwire_put16(to + 4, (int16_t)POSITIVE);
	pgwire_put16(to + 6, 0);
	for (int i = n - 1; i >= skip; i--)
		pgwire_put16(to + HEAD + (size_t)(n - 1 - i) * 2, digit[i]);
	return HEAD + (size_t)(n - skip) * 2;
}

int128 int128_from_numeric(const void *bytes, size_t len)
{
	const char *at = bytes;
	if (len < HEAD)
		return 0;
	int n = pgwire_get16(at), weight = pgwire_get16(at + 2);
	int sign = (uint16_t)pgwire_get16(at + 4);
	if ((sign != POSITIVE && sign != NEGATIVE) || weight >= DIGITS ||
		len < HEAD + (size_t)n * 2)
		return 0;
	int128 v = 0;
	for (int i = 0; i <= weight; i++) {
		int digit = i < n ? pgwire_get16(at + HEAD + (size_t)i * 2) : 0;
		if (__builtin_mul_overflow(v, (int128)BASE, &v) ||
			__builtin_add_overflow(v, (int128)digit, &v))
			return 0;
	}
	return sign == NEGATIVE ? -v : v;
}

void int128_put(struct buf *b, int128 v)
{
	uint8_t byte[BITS / 7 + 1];
	size_t n = 0;
	uint128 u = ((uint128)v << 1) ^ (uint128)(v < 0 ? -1 : 0);
	do {
		byte[n++] = (uint8_t)((u & 0x7f) | (u > 0x7f ? 0x80 : 0));
		u >>= 7;
	} while (u);
	buf_add(b, byte, n);
}

void int128_put_tagged(struct buf *b, uint32_t tag, int128 v)
{
	uint8_t byte[8];
	size_t n = 0, len = 1;
	while (len < 16 && v >> (8 * len - 1) != 0 && v >> (8 * len - 1) != -1)
		len++;
	uint64_t head = (uint64_t)tag << 5 | len;
	for (; head >= 0x80; head >>= 7)
		byte[n++] = (uint8_t)(head | 0x80);
	byte[n++] = (uint8_t)head;
	buf_add(b, byte, n);
	buf_add(b, &v, len); /* little-endian, as in the format */
}

int128 int128_next_long(struct int128_reader *b, uint64_t low)
{
	uint128 u = low;
	for (unsigned shift = 63; shift < BITS && b->at < b->end; shift += 7) {
		uint8_t byte = *b->at++;
		u |= (uint128)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return (int128)(u >> 1) ^ -(int128)(u & 1);
	}
	b->bad = true;
	return 0;
}

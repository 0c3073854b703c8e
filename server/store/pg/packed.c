/* packed.c - packs numbers at the width of the widest one. */
#include "packed.h"
#include "pgwire.h"

static int64_t packed_number(const void *eights, uint32_t i)
{
	int64_t v;
	memcpy(&v, (const char *)eights + (size_t)i * 8, sizeof v);
	return v;
}

int packed_width(const void *eights, uint32_t n)
{
	int64_t low = n ? packed_number(eights, 0) : 0, high = low;
	for (uint32_t i = 1; i < n; i++) {
		int64_t v = packed_number(eights, i);
		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	if (low == high)
		return 0;
	if (low >= INT8_MIN && high <= INT8_MAX)
		return 1;
	if (low >= INT16_MIN && high <= INT16_MAX)
		return 2;
	return low >= INT32_MIN && high <= INT32_MAX ? 4 : 8;
}

size_t packed_bytes(int width, uint32_t n)
{
	return width ? 1 + (size_t)width * n : 9;
}

#define PACKED_READ(width, expression)                     \
	case width:                                        \
		for (uint32_t i = 0; i < n; i++) {         \
			const char *at = from + width * i; \
			to[i] = (expression);              \
		}                                          \
		break

bool packed_read(const void *bytes, size_t len, void *eights, uint32_t n)
{
	const char *from = bytes;
	int64_t *to = eights;
	if (!len || len != packed_bytes(*from++, n))
		return false;
	switch (from[-1]) {
	case 0:
		for (uint32_t i = 0; i < n; i++)
			to[i] = pgwire_get64(from);
		break;
		PACKED_READ(1, ((uint8_t)*at ^ 0x80) - 0x80);
		PACKED_READ(2, pgwire_get16(at));
		PACKED_READ(4, pgwire_get32(at));
		PACKED_READ(8, pgwire_get64(at));
	default:
		return false;
	}
	return true;
}

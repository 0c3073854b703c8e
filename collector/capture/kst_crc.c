/* kst_crc.c - CRC-32C, by the processor where it can. */
#include "kst_wire.h"
#include <string.h>

/* The remainder of each half byte: 64 bytes of table are enough where no
 * processor helps. */
static uint32_t plain(uint32_t crc, const uint8_t *p, size_t len)
{
	static const uint32_t half[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede,
		0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4,
		0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };
	for (; len; len--) {
		crc ^= *p++;
		crc = crc >> 4 ^ half[crc & 15];
		crc = crc >> 4 ^ half[crc & 15];
	}
	return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t quick(uint32_t crc,
	const uint8_t *p, size_t len)
{
	uint64_t c = crc, word;
	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		c = __builtin_ia32_crc32di(c, word);
	}
	uint32_t half;
	uint16_t quarter;
	if (len & 4) {
		memcpy(&half, p, 4);
		c = __builtin_ia32_crc32si((uint32_t)c, half);
		p += 4;
	}
	if (len & 2) {
		memcpy(&quarter, p, 2);
		c = __builtin_ia32_crc32hi((uint32_t)c, quarter);
		p += 2;
	}
	if (len & 1)
		c = __builtin_ia32_crc32qi((uint32_t)c, *p);
	return (uint32_t)c;
}
#endif

uint32_t kst_crc(uint32_t crc, const void *bytes, size_t len)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return ~quick(~crc, bytes, len);
#endif
	return ~plain(~crc, bytes, len);
}

/* kst_wire.c - the byte layout of a capture file: chunk heads, numbers,
 * checksums, kinds. */
#include "kst_wire.h"
#include <kernsift/kst_reader.h>
#include <string.h>

/* The remainder for each half byte. A table of 64 bytes is enough for
 * processors without a CRC instruction. */
static uint32_t kst_wire_plain(uint32_t crc, const uint8_t *p, size_t len)
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
__attribute__((target("sse4.2"))) static uint32_t kst_wire_quick(uint32_t crc,
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
		return ~kst_wire_quick(~crc, bytes, len);
#endif
	return ~kst_wire_plain(~crc, bytes, len);
}

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

#define COLUMN(type, field, absent, expected, what) \
	{ #field, absent, KST_##type, KST_##expected },
#define KIND(number, kind, COLUMNS, what)                                 \
	static const struct kst_column_info kind##_columns[] = { COLUMNS( \
		COLUMN) };                                                \
	_Static_assert(sizeof(struct kst_##kind) / 8 <= KST_COLUMNS_MAX,  \
		"a kind has more columns than a chunk may");
KST_KINDS(KIND)
#undef KIND
#undef COLUMN

static const struct kst_kind_info kinds[KST_KINDS_END] = {
	[KST_about] = { "about", NULL, 0 },
	[KST_text] = { "text", NULL, 0 },
	[KST_end] = { "end", NULL, 0 },
#define KIND(number, kind, COLUMNS, what) \
	[KST_##kind] = { #kind, kind##_columns, sizeof(struct kst_##kind) / 8 },
	KST_KINDS(KIND)
#undef KIND
};

const struct kst_kind_info *kst_kind_info(int kind)
{
	return kind < 0 || kind >= KST_KINDS_END || !kinds[kind].name
		       ? NULL
		       : &kinds[kind];
}

uint64_t kst_absent(const struct kst_column_info *c)
{
	uint64_t bits;
	if (c->type != KST_REAL)
		return (uint64_t)(int64_t)c->absent;
	memcpy(&bits, &c->absent, sizeof bits);
	return bits;
}

int kst_column_of(const struct kst_kind_info *k, enum kst_type type)
{
	for (uint32_t c = 0; c < k->n; c++)
		if (k->columns[c].type == type)
			return (int)c;
	return -1;
}

const char *kst_kind_name(int kind)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	return k ? k->name : NULL;
}

uint32_t kst_kind_columns(int kind)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	return k ? k->n : 0;
}

const char *kst_column_name(int kind, uint32_t column)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	return k && column < k->n ? k->columns[column].name : NULL;
}

enum kst_type kst_column_type(int kind, uint32_t column)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	if (!k || column >= k->n)
		return KST_INT;
	enum kst_type type = k->columns[column].type;
	return type == KST_NAME || type == KST_JSON ? KST_TEXT : type;
}

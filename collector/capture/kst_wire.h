/* kst_wire.h - the byte layout of a capture file, for the reader and the
 * writer.
 *
 * README.md describes this layout in prose. Numbers are little-endian. */
#pragma once
#include <kernsift/kst.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#define NUMBER(bits)                                                    \
	static inline void kst_put##bits(uint8_t *to, uint##bits##_t v) \
	{                                                               \
		v = htole##bits(v);                                     \
		memcpy(to, &v, sizeof v);                               \
	}                                                               \
	static inline uint##bits##_t kst_get##bits(const uint8_t *from) \
	{                                                               \
		uint##bits##_t v;                                       \
		memcpy(&v, from, sizeof v);                             \
		return le##bits##toh(v);                                \
	}
NUMBER(16)
NUMBER(32)
NUMBER(64)
#undef NUMBER

/* A cell is written as its difference to the expected value. */
enum kst_expected {
	KST_ALONE, /* 0 */
	KST_BEFORE, /* the previous row; 0 for the first row */
	KST_AFTER, /* the previous row plus that row's cell in the `other`
		    * column */
	/* the last row whose cell in `other` has the same low 12 bits, or 0.
	 * It is normally a launch of the same kernel with the same shape */
	KST_LIKE,
	KST_EXPECTED_END,
};

/* How the differences of a column are stored. */
enum kst_packing {
	KST_VARINT, /* zigzag, then 7 bits per byte, the lowest bits first */
	KST_SAME, /* one varint for all differences, which are equal */
	KST_PLANES, /* the first bytes of all differences, then all second
		     * bytes, … */
	KST_SPLIT, /* zigzag; the first bytes of all, the second bytes of all,
		    * and varints of what is above them */
	KST_PACKING_END,
};

/* The head of a chunk. In the file it has KST_HEAD bytes. */
struct kst_head {
	uint32_t payload_crc;
	uint32_t capture; /* equal in all chunks of one capture */
	uint32_t seq;
	uint32_t payload_len, raw_len, rows;
	uint8_t kind, codec;
	int64_t first_ns, last_ns;
};
void kst_head_put(uint8_t to[KST_HEAD], const struct kst_head *h);
/* False if these bytes are not the head of a chunk or if the head is
 * damaged. */
bool kst_head_get(const uint8_t from[KST_HEAD], struct kst_head *h);

/* The opening is the bytes before the first chunk. */
void kst_opening_put(uint8_t to[KST_OPENING]);
/* Whether the magic is correct. *good is whether the other bytes are
 * correct. */
bool kst_opening_get(const uint8_t from[KST_OPENING], uint16_t *major,
	uint16_t *minor, bool *good);

/* Describes the bytes of one column in the payload of a chunk of rows. */
struct kst_place {
	uint8_t column, expected, packing, other;
	uint32_t len;
};

static inline uint8_t *kst_varint_put(uint8_t *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (uint8_t)(v | 0x80);
	*to++ = (uint8_t)v;
	return to;
}

/* Returns the address of the byte after the number. Returns NULL if the number
 * does not end before `end` or has more than 64 bits. */
const uint8_t *kst_varint_get(const uint8_t *at, const uint8_t *end,
	uint64_t *v);

static inline uint64_t kst_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t kst_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* CRC-32C (Castagnoli), as in iSCSI. `crc` is 0 for the first bytes. */
uint32_t kst_crc(uint32_t crc, const void *bytes, size_t len);

/* The description of a kind and its columns, from kst.def. */
struct kst_column_info {
	const char *name;
	double absent;
	uint8_t type, expected;
};
struct kst_kind_info {
	const char *name;
	const struct kst_column_info *columns; /* NULL if the kind has no
					        * rows */
	uint32_t n;
};
enum { KST_COLUMNS_MAX = 32 };
/* NULL if the kind is unknown. */
const struct kst_kind_info *kst_kind_info(int kind);
/* The cell of a row whose chunk lacks the column. */
uint64_t kst_absent(const struct kst_column_info *c);
/* The first column with this type, or -1. */
int kst_column_of(const struct kst_kind_info *k, enum kst_type type);

/* kst_cells.c - packs the differences between cells and expected values as
 * varints or planes. */
#include "kst_cells.h"
#include <string.h>

static inline uint64_t *kst_cells_slot(struct kst_like *like, uint64_t other)
{
	enum { MASK = sizeof like->last / sizeof *like->last - 1 };
	return &like->last[other & MASK];
}

static void kst_cells_differ_like(uint64_t *to, const uint64_t *cells,
	const uint64_t *other, uint32_t n, struct kst_like *like)
{
	memset(like, 0, sizeof *like);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t *last = kst_cells_slot(like, other[i]);
		to[i] = cells[i] - *last;
		*last = cells[i];
	}
}

bool kst_cells_differ(uint64_t *to, const uint64_t *cells,
	const uint64_t *other, uint32_t n, enum kst_expected expected,
	struct kst_like *like)
{
	uint64_t differ = 0, first = n ? cells[0] : 0;
	if (expected == KST_LIKE)
		kst_cells_differ_like(to, cells, other, n, like);
	else if (n)
		to[0] = first;
	/* One loop per case, with the case decided outside of the loop: the
	 * writer spends most of its time here. */
	if (expected == KST_BEFORE)
		for (uint32_t i = 1; i < n; i++)
			differ |= (to[i] = cells[i] - cells[i - 1]) ^ first;
	else if (expected == KST_AFTER)
		for (uint32_t i = 1; i < n; i++)
			differ |= (to[i] = cells[i] - cells[i - 1] -
					   other[i - 1]) ^
				  first;
	else if (expected == KST_ALONE)
		for (uint32_t i = 1; i < n; i++)
			differ |= (to[i] = cells[i]) ^ first;
	else
		for (uint32_t i = 1; i < n; i++)
			differ |= to[i] ^ first;
	return !differ;
}

static uint8_t *kst_cells_planes_pack(uint8_t *to, const uint64_t *d,
	uint32_t n)
{
	for (int byte = 0; byte < 8; byte++)
		for (uint32_t i = 0; i < n; i++)
			*to++ = (uint8_t)(d[i] >> 8 * byte);
	return to;
}

static uint8_t *kst_cells_varints_pack(uint8_t *to, const uint64_t *d,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to = kst_varint_put(to, kst_zigzag((int64_t)d[i]));
	return to;
}

static uint8_t *kst_cells_split_pack(uint8_t *to, const uint64_t *d, uint32_t n)
{
	uint8_t *first = to, *second = to + n;
	to += 2 * (size_t)n;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = kst_zigzag((int64_t)d[i]);
		first[i] = (uint8_t)v;
		second[i] = (uint8_t)(v >> 8);
		to = kst_varint_put(to, v >> 16);
	}
	return to;
}

uint8_t *kst_cells_pack(uint8_t *to, const uint64_t *differences, uint32_t n,
	enum kst_packing packing)
{
	switch (packing) {
	case KST_PLANES:
		return kst_cells_planes_pack(to, differences, n);
	case KST_SPLIT:
		return kst_cells_split_pack(to, differences, n);
	case KST_SAME:
		return kst_cells_varints_pack(to, differences, 1);
	default:
		return kst_cells_varints_pack(to, differences, n);
	}
}

static bool kst_cells_planes_get(uint64_t *cells, uint32_t n,
	const struct kst_place *p, const uint8_t *at)
{
	if (p->len != (uint64_t)n * 8)
		return false;
	memset(cells, 0, n * sizeof *cells);
	for (int byte = 0; byte < 8; byte++)
		for (uint32_t i = 0; i < n; i++)
			cells[i] |= (uint64_t)*at++ << 8 * byte;
	return true;
}

static bool kst_cells_varints_get(uint64_t *cells, uint32_t n,
	const struct kst_place *p, const uint8_t *at)
{
	const uint8_t *end = at + p->len;
	uint64_t v = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (at < end && *at < 0x80)
			v = *at++;
		else if (!(at = kst_varint_get(at, end, &v)))
			return false;
		cells[i] = (uint64_t)kst_unzigzag(v);
	}
	return at == end;
}

static bool kst_cells_split_get(uint64_t *cells, uint32_t n,
	const struct kst_place *p, const uint8_t *at)
{
	const uint8_t *first = at, *second = at + n, *end = at + p->len;
	uint64_t above;
	if (p->len < 2 * (uint64_t)n)
		return false;
	at = second + n;
	for (uint32_t i = 0; i < n; i++) {
		at = kst_varint_get(at, end, &above);
		if (!at || above >> 48)
			return false;
		cells[i] = (uint64_t)kst_unzigzag(
			above << 16 | (uint64_t)second[i] << 8 | first[i]);
	}
	return at == end;
}

static bool kst_cells_same_get(uint64_t *cells, uint32_t n,
	const struct kst_place *p, const uint8_t *at)
{
	if (!kst_cells_varints_get(cells, 1, p, at))
		return false;
	for (uint32_t i = 1; i < n; i++)
		cells[i] = cells[0];
	return true;
}

static bool kst_cells_differences(uint64_t *cells, uint32_t n,
	const struct kst_place *p, const uint8_t *at)
{
	switch ((enum kst_packing)p->packing) {
	case KST_VARINT:
		return kst_cells_varints_get(cells, n, p, at);
	case KST_SAME:
		return kst_cells_same_get(cells, n, p, at);
	case KST_PLANES:
		return kst_cells_planes_get(cells, n, p, at);
	case KST_SPLIT:
		return kst_cells_split_get(cells, n, p, at);
	case KST_PACKING_END:
		break;
	}
	return false;
}

static void kst_cells_add_like(uint64_t *cells, const uint64_t *other,
	uint32_t n, struct kst_like *like)
{
	memset(like, 0, sizeof *like);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t *last = kst_cells_slot(like, other[i]);
		*last = cells[i] += *last;
	}
}

bool kst_cells_get(uint64_t *cells, const uint64_t *other, uint32_t n,
	const struct kst_place *p, const uint8_t *at, struct kst_like *like)
{
	if (!kst_cells_differences(cells, n, p, at))
		return false;
	if (p->expected == KST_LIKE)
		kst_cells_add_like(cells, other, n, like);
	for (uint32_t i = 1; i < n && p->expected == KST_BEFORE; i++)
		cells[i] += cells[i - 1];
	for (uint32_t i = 1; i < n && p->expected == KST_AFTER; i++)
		cells[i] += cells[i - 1] + other[i - 1];
	return true;
}

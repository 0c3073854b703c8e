/* kst_cells.h - packs a column of cells into bytes and unpacks it.
 *
 * A cell has 64 bits; a REAL is stored as its bits. `other` contains the
 * complete cells of the column that the expectation reads. It is NULL if the
 * expectation reads no other column. */
#pragma once
#include "kst_wire.h"

enum { KST_CELL_MAX = 10 }; /* maximum bytes of a packed cell */

/* The state of LIKE: the last cell for each value of the low 12 bits of
 * `other`. */
struct kst_like {
	uint64_t last[1 << 12];
};

/* Computes the differences between n cells and their expected values. Returns
 * whether all differences are equal. Differences are computed modulo 2^64, so
 * that any 64 bits can be restored. */
bool kst_cells_differ(uint64_t *to, const uint64_t *cells,
	const uint64_t *other, uint32_t n, enum kst_expected expected,
	struct kst_like *like);

/* Packs n differences. Returns the address after the last byte, which is at
 * most n * KST_CELL_MAX bytes after `to`. KST_SAME packs only the first
 * difference. */
uint8_t *kst_cells_pack(uint8_t *to, const uint64_t *differences, uint32_t n,
	enum kst_packing packing);

/* Unpacks n cells from the bytes that `p` describes. False if these bytes are
 * not exactly n cells. */
bool kst_cells_get(uint64_t *cells, const uint64_t *other, uint32_t n,
	const struct kst_place *p, const uint8_t *at, struct kst_like *like);

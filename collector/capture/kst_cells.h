/* kst_cells.h - a column of cells, to bytes and back.
 *
 * Cells are 64 bits each; a REAL is its bits. `other` are the complete cells
 * of the column that an expectation reads; NULL if there is none. */
#pragma once
#include "kst_wire.h"

enum { KST_CELL_MAX = 10 }; /* most bytes a cell takes, packed */

/* What LIKE remembers: the last cell by the low 12 bits of `other`. */
struct kst_like {
	uint64_t last[1 << 12];
};

/* The differences of n cells to what is expected; whether all are the same.
 * Differences are taken modulo 2^64, so that any 64 bits come back. */
bool kst_cells_differ(uint64_t *to, const uint64_t *cells,
	const uint64_t *other, uint32_t n, enum kst_expected expected,
	struct kst_like *like);

/* Packs n differences; returns the place after the last byte, at most n *
 * KST_CELL_MAX. KST_SAME takes the first alone. */
uint8_t *kst_cells_pack(uint8_t *to, const uint64_t *differences, uint32_t n,
	enum kst_packing packing);

/* Unpacks n cells from the bytes of a place; false where these are not n
 * cells, to the byte. */
bool kst_cells_get(uint64_t *cells, const uint64_t *other, uint32_t n,
	const struct kst_place *p, const uint8_t *at, struct kst_like *like);

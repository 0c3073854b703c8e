/* kst_rows.h - the payload of a chunk of rows becomes cells. */
#pragma once
#include "kst_cells.h"

struct kst_rows {
	const struct kst_kind_info *kind;
	uint64_t *cells; /* of column c at cells + c * n */
	uint32_t n;
	uint32_t unknown; /* columns that were passed over */
};

/* Reads r->n rows of r->kind into r->cells, which has room for all columns.
 * False where the payload is not what it says it is. */
bool kst_rows_get(struct kst_rows *r, const uint8_t *at, size_t len,
	struct kst_like *like);

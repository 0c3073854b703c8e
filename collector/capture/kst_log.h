/* kst_log.h - the layout of entries in a tail, for its writer and its reader.
 *
 * README.md describes this layout in prose under *The tail*. */
#pragma once
#include <kernsift/kst_tail.h>
#include "kst_wire.h"
#include <string.h>

#define KST_TAIL_MAGIC "\x89KTL\r\n\x1a\n"

enum {
	KST_SLOT = 64, /* bytes of each of the two slots */
	KST_SLOT_SUM = 36, /* position of the checksum, after the bytes that it
			    * covers */
	KST_COMMIT = 2 * KST_SLOT, /* generation and length */
	KST_LOG = 3 * KST_SLOT, /* where entries begin */
	KST_LOG_COLUMNS = 20, /* maximum number of columns of a kind */
	KST_ROW_ROOM = 1 + 2 + 10 * (KST_LOG_COLUMNS + 1) + 4,
	KST_ENTRY_MIN = 1 + 1 + 4, /* minimum bytes of an entry */
	KST_TAIL_MOST = 64 << 20, /* a file with more bytes is not a tail */
};

/* For each kind, the row from which the next row's differences are computed. */
struct kst_before {
	uint64_t cells[KST_KINDS_END][KST_LOG_COLUMNS];
};

/* The values before the first row. Each column has its value for `absent`. */
static inline void kst_log_before(struct kst_before *b)
{
	memset(b, 0, sizeof *b);
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		const struct kst_kind_info *k = kst_kind_info(kind);
		for (uint32_t c = 0; k && c < k->n; c++)
			b->cells[kind][c] = kst_absent(&k->columns[c]);
	}
}

/* kst_emit.h - chunks on their way out, for the writer: pack, check, number. */
#pragma once
#include "kst_cells.h"
#include "kst_memory.h"
#include <kernsift/kst_writer.h>
#define ZSTD_STATIC_LINKING_ONLY /* for memory of our own */
#include <zstd.h>

_Static_assert(KST_COLUMNS_MAX <= 32, "a bit for each column");

struct kst_emit {
	kst_write_fn *write;
	void *ctx;
	const struct kst_memory *memory;
	ZSTD_CCtx *zstd;
	uint8_t *raw, *packed;
	uint64_t *differences;
	size_t raw_cap, packed_cap, differences_cap; /* bytes */
	size_t cuts[3 * KST_COLUMNS_MAX]; /* in raw, ascending */
	uint32_t cuts_n;
	struct kst_like like;
	/* By kind: which columns were smaller split when that was tried last,
	 * a bit each, and the chunks since. */
	uint32_t split[KST_KINDS_END];
	uint8_t untried[KST_KINDS_END];
	uint32_t capture, seq;
	uint64_t bytes[KST_KINDS_END]; /* by kind; 0: all */
};

/* Room for that many bytes of a payload, at e->raw. */
bool kst_emit_room(struct kst_emit *e, size_t bytes);
/* Writes bytes that are no chunk. */
bool kst_emit_bytes(struct kst_emit *e, const void *bytes, size_t len);
/* Writes the first h->raw_len bytes of e->raw as a chunk; kind, raw_len, rows
 * and times are the caller's, the rest is filled in. */
bool kst_emit_chunk(struct kst_emit *e, struct kst_head *h);
/* Rows: the cells of column c are at cells + c * stride. */
bool kst_emit_rows(struct kst_emit *e, enum kst_kind kind,
	const uint64_t *cells, uint32_t stride, uint32_t n);
void kst_emit_release(struct kst_emit *e);

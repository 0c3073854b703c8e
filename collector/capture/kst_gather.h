/* kst_gather.h - rows and texts are gathered in blocks, and blocks go out as
 * chunks: for the writer, and for making a capture whole.
 *
 * Names are ids here already, of texts and of launches. */
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

struct kst_gather {
	struct kst_memory memory;
	struct kst_emit emit;
	struct kst_block {
		uint64_t *cells; /* column by column, `stride` apart */
		uint32_t n;
	} blocks[KST_KINDS_END];
	uint8_t columns[KST_KINDS_END];
	uint32_t rows, stride;
	uint8_t *texts; /* those not written yet: their bytes */
	uint32_t *lens;
	size_t texts_len, texts_cap;
	uint32_t texts_n;
	int64_t texts_given; /* ids */
	struct kst_tail *tail; /* or NULL */
	uint64_t waiting; /* rows in no chunk yet; launches are none */
};

/* False if there is no memory; call release() even then. The memory is from
 * `options`, which may be NULL. */
bool kst_gather_init(struct kst_gather *g, kst_write_fn *write, void *ctx,
	const struct kst_options *options);
void kst_gather_release(struct kst_gather *g);

/* What was written so far is left out of the tail, if there is one. */
void kst_gather_placed(struct kst_gather *g);
/* A text gets the next id. */
bool kst_gather_text(struct kst_gather *g, const char *text, size_t len);
/* A row of all its cells. */
bool kst_gather_row(struct kst_gather *g, int kind, const uint64_t *cells);
/* Writes everything. */
bool kst_gather_flush(struct kst_gather *g);
/* Writes the last chunk of the capture. */
bool kst_gather_end(struct kst_gather *g);

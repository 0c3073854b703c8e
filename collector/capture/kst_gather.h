/* kst_gather.h - rows and texts are gathered in blocks, and blocks go out as
 * chunks: for the writer, and for making a capture whole.
 *
 * Names are ids here already, of texts and of launches. */
#pragma once
#include "kst_emit.h"

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

/* False where there is no memory; release() it even so. The memory is
 * `options`'s, which may be NULL. */
bool kst_gather_init(struct kst_gather *g, kst_write_fn *write, void *ctx,
	const struct kst_options *options);
void kst_gather_release(struct kst_gather *g);

/* What was written so far is left out of the tail, if there is one. */
void kst_gather_placed(struct kst_gather *g);
/* A text gets the next id. */
bool kst_gather_text(struct kst_gather *g, const char *text, size_t len);
/* A row of all its cells. */
bool kst_gather_row(struct kst_gather *g, int kind, const uint64_t *cells);
/* All goes out. */
bool kst_gather_flush(struct kst_gather *g);
/* The chunk behind which nothing is. */
bool kst_gather_end(struct kst_gather *g);

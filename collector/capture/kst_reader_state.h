/* kst_reader_state.h - what a reader holds; for the files it is made of. */
#pragma once
#include "kst_input.h"
#include "kst_rows.h"
#include "kst_tables.h"
#include <zstd.h>

struct kst_reader {
	struct kst_memory memory;
	struct kst_pool pool; /* where the memory is malloc's */
	struct kst_input in;
	struct kst_tables tables;
	struct kst_about about;
	struct kst_damage damage;
	struct kst_like like;
	ZSTD_DCtx *zstd;
	uint8_t *raw;
	size_t raw_cap;
	uint64_t *cells;
	size_t cells_cap; /* bytes */
	union kst_column column[KST_COLUMNS_MAX];
	uint64_t only;
	uint16_t major, minor;
	uint32_t capture; /* of this capture's chunks */
	uint32_t next; /* seq expected */
	uint64_t stretches; /* damaged, since the last chunk in order */
	bool opened, any, ended;
};

/* Counts something left out, and tells the first. */
void kst_damage_add(struct kst_reader *r, uint64_t *count, uint64_t n,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The payload with its compression undone, h->raw_len bytes; NULL with
 * KST_FULL in *got, or where it is not what its head says. */
const uint8_t *kst_unpack(struct kst_reader *r, const struct kst_head *h,
	const uint8_t *payload, enum kst_got *got);

/* What is in a chunk goes where it belongs: to the about, to the tables, or,
 * with KST_CHUNK, to *chunk. KST_END: it was for the reader alone. */
enum kst_got kst_take(struct kst_reader *r, const struct kst_head *h,
	const uint8_t *payload, struct kst_chunk *chunk);

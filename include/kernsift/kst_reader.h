/* kst_reader.h - reads a capture, chunk after chunk, trusting nothing.
 *
 * Bytes are pulled in pieces of any size; held are one chunk, its rows, and
 * the texts and launches met so far. Of a chunk that is damaged, or is not
 * for this capture, only that chunk is lost: the reader continues at the next
 * good one and counts what it left out (struct kst_damage). No length, count or
 * id of the file is trusted: a chunk is at most KST_RAW_MAX bytes unpacked and
 * KST_ROWS_MAX rows, and an id of something unknown reads as KST_LOST.
 *
 * Numbers are as the writer gave them: any 64 bits. Texts are any bytes.
 *
 *	struct kst_reader *r = kst_reader_new(read, ctx, NULL);
 *	struct kst_chunk c;
 *	while ((got = kst_reader_next(r, &c)) == KST_CHUNK)
 *		if (c.kind == KST_kernel)
 *			for (uint32_t i = 0; i < c.rows; i++)
 *				… c.column[KST_COLUMN(kernel, start_ns)].i[i] … */
#pragma once
#include "kst.h"
#include <stdbool.h>

/* Fills up to `cap` bytes; returns how many, 0 at the end, -1 if reading
 * failed. */
typedef int64_t kst_read_fn(void *ctx, void *to, size_t cap);

enum kst_got {
	KST_CHUNK, /* rows, in *chunk */
	KST_END, /* no more; kst_reader_damage() returns what was left out */
	KST_STOPPED, /* the read function failed */
	KST_FULL, /* no memory */
	KST_FOREIGN, /* not a capture, or its opening is damaged */
	KST_NEWER, /* of a later major version */
};

/* The rows of a column: .d if its type is REAL, else .i. */
union kst_column {
	const int64_t *i;
	const double *d;
};

struct kst_chunk {
	enum kst_kind kind; /* one of KST_KINDS, but never KST_launch */
	uint32_t rows;
	uint32_t seq; /* its number in the file, from 0 */
	int64_t first_ns, last_ns; /* as the writer reports: see README.md */
	const union kst_column *column; /* all of the kind; by KST_COLUMN() */
};

struct kst_damage {
	uint64_t damaged; /* chunks and stretches of bytes that are none */
	uint64_t missing; /* chunks that the numbering lacks */
	uint64_t repeated; /* chunks met a second time, or too late */
	uint64_t unknown_chunks, unknown_columns; /* of a later version */
	uint64_t lost; /* cells that name a text or launch which is not there */
	bool cut; /* there was no chunk that ends the capture */
	uint64_t behind; /* bytes after that chunk */
	char first[80]; /* the first that was damaged, missing or repeated */
	char first_unknown[80];
};

struct kst_reader;

/* `memory` NULL: malloc's, up to 256 MiB. NULL if there is none. */
struct kst_reader *kst_reader_new(kst_read_fn *read, void *ctx,
	const struct kst_memory *memory);

/* Only chunks of these kinds are unpacked and returned from now on: a bit
 * each, KST_BIT(kernel) 
 *
 *  KST_BIT(copy). By default all are. */
#define KST_BIT(kind) (UINT64_C(1) << KST_##kind)
void kst_reader_only(struct kst_reader *r, uint64_t kinds);

/* The next chunk of rows; its columns are good until the next call. */
enum kst_got kst_reader_next(struct kst_reader *r, struct kst_chunk *chunk);

/* The capture's description of itself; set from the first kst_reader_next()
 * on, zero and empty throughout if that chunk is damaged. */
const struct kst_about *kst_reader_about(const struct kst_reader *r);
/* The versions of its opening. */
void kst_reader_version(const struct kst_reader *r, int *major, int *minor);
/* Bytes read so far, and what was left out of them. */
uint64_t kst_reader_bytes(const struct kst_reader *r);
const struct kst_damage *kst_reader_damage(const struct kst_reader *r);

/* The text of a TEXT cell, which ends in NUL and stays good; "" for 0, NULL for
 * KST_LOST. `len` may be NULL. Cells are below kst_reader_texts(). */
const char *kst_reader_text(const struct kst_reader *r, int64_t cell,
	size_t *len);
int64_t kst_reader_texts(const struct kst_reader *r);

/* The shape of a SHAPE cell; -1 throughout for 0 and KST_LOST. */
const struct kst_shape *kst_reader_shape(const struct kst_reader *r,
	int64_t cell);

void kst_reader_free(struct kst_reader *r);

/* The names of kinds and columns, for messages and tools; NULL and 0 if
 * there is none. */
const char *kst_kind_name(int kind);
uint32_t kst_kind_columns(int kind);
const char *kst_column_name(int kind, uint32_t column);
enum kst_type kst_column_type(int kind, uint32_t column);

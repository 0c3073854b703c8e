/* kst_reader.h - reads a capture file chunk by chunk and trusts none of it.
 *
 * The reader pulls bytes in pieces of any size. It keeps one chunk, the rows
 * of that chunk, and all texts and launches read so far. If a chunk is damaged
 * or belongs to another capture, only that chunk is lost: the reader continues
 * at the next good one and counts what it left out (struct kst_damage). No
 * length, count or id in the file is trusted. A chunk has at most KST_RAW_MAX
 * bytes unpacked and at most KST_ROWS_MAX rows. An id of an unknown text or
 * launch reads as KST_LOST.
 *
 * Numbers are returned as the writer wrote them and can be any 64 bits. Texts
 * can be any bytes.
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

/* Reads up to `cap` bytes into `to`. Returns the number of bytes read, 0 at
 * the end, or -1 if reading failed. */
typedef int64_t kst_read_fn(void *ctx, void *to, size_t cap);

enum kst_got {
	KST_CHUNK, /* *chunk contains rows */
	KST_END, /* no more chunks; see kst_reader_damage() */
	KST_STOPPED, /* the read function failed */
	KST_FULL, /* no memory */
	KST_FOREIGN, /* not a capture file, or its opening is damaged */
	KST_NEWER, /* the file has a later major version */
};

/* The cells of a column: .d if its type is REAL, else .i. */
union kst_column {
	const int64_t *i;
	const double *d;
};

struct kst_chunk {
	enum kst_kind kind; /* one of KST_KINDS, but never KST_launch */
	uint32_t rows;
	uint32_t seq; /* its number in the file, from 0 */
	int64_t first_ns, last_ns; /* as the writer stored them: see
				    * README.md */
	const union kst_column *column; /* all columns of the kind; index:
					 * KST_COLUMN() */
};

struct kst_damage {
	uint64_t damaged; /* damaged chunks, and stretches of bytes that are no
			   * chunk */
	uint64_t missing; /* chunks whose numbers do not occur */
	uint64_t repeated; /* chunks that were read before, or come too late */
	uint64_t unknown_chunks, unknown_columns; /* of a later format
						   * version */
	uint64_t lost; /* cells with the id of a text or launch that is
		        * missing */
	bool cut; /* there is no end chunk */
	uint64_t behind; /* bytes after the end chunk */
	char first[80]; /* describes the first that was damaged, missing or
			 * repeated */
	char first_unknown[80];
};

struct kst_reader;

/* If `memory` is NULL, malloc is used for up to 256 MiB. NULL if there is no
 * memory. */
struct kst_reader *kst_reader_new(kst_read_fn *read, void *ctx,
	const struct kst_memory *memory);

/* From now on, unpacks and returns only chunks of these kinds. `kinds` has one
 * bit per kind: KST_BIT(kernel) | KST_BIT(copy). By default all kinds are
 * returned. */
#define KST_BIT(kind) (UINT64_C(1) << KST_##kind)
void kst_reader_only(struct kst_reader *r, uint64_t kinds);

/* Reads the next chunk of rows. Its columns are valid until the next call. */
enum kst_got kst_reader_next(struct kst_reader *r, struct kst_chunk *chunk);

/* The capture's description of itself. The first kst_reader_next() sets it. If
 * the chunk that contains it is damaged, all fields are 0 or empty. */
const struct kst_about *kst_reader_about(const struct kst_reader *r);
/* The format versions in the file's opening. */
void kst_reader_version(const struct kst_reader *r, int *major, int *minor);
/* The number of bytes read so far, and the damage found in them. */
uint64_t kst_reader_bytes(const struct kst_reader *r);
const struct kst_damage *kst_reader_damage(const struct kst_reader *r);

/* The text of a TEXT cell. It ends in NUL and is valid until
 * kst_reader_free(). Returns "" for 0 and NULL for KST_LOST. `len` may be
 * NULL. Cells are less than kst_reader_texts(). */
const char *kst_reader_text(const struct kst_reader *r, int64_t cell,
	size_t *len);
int64_t kst_reader_texts(const struct kst_reader *r);

/* The shape of a SHAPE cell. All its values are -1 for 0 and KST_LOST. */
const struct kst_shape *kst_reader_shape(const struct kst_reader *r,
	int64_t cell);

void kst_reader_free(struct kst_reader *r);

/* The names of kinds and columns, for messages and tools. NULL or 0 if the
 * kind or the column does not exist. */
const char *kst_kind_name(int kind);
uint32_t kst_kind_columns(int kind);
const char *kst_column_name(int kind, uint32_t column);
enum kst_type kst_column_type(int kind, uint32_t column);

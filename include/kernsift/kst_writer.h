/* kst_writer.h - writes a capture, row after row, in bounded memory.
 *
 * Rows are gathered per kind and written in chunks when a block is full,
 * when kst_writer_flush() is called, and at the end. Each chunk can be read
 * without the others, except for the texts and launches it names, which are
 * written before it. What was written is never touched again, so a capture
 * whose end is missing is good up to there.
 *
 * Memory: about 150 bytes per row of a block and kind in use, and the
 * launches that were seen (KST_LAUNCHES_MAX at most). Not for sharing
 * between threads. */
#pragma once
#include "kst.h"
#include "kst_tail.h"
#include <stdbool.h>

/* Takes bytes of the capture, in order; false ends the writing. */
typedef bool kst_write_fn(void *ctx, const void *bytes, size_t len);

struct kst_options {
	uint32_t rows; /* of a block; 0, and more than
	               KST_ROWS_MAX: 16,384 */
	int level; /* of zstd; 0: what is usual here */
	const struct kst_memory *memory; /* NULL: malloc's */
	struct kst_tail *tail; /* NULL: none; borrowed: kst_tail.h */
};

struct kst_writer;

/* Writes the opening and the capture's description of itself. `options` may
 * be NULL. NULL if there is no memory or `write` refused. */
struct kst_writer *kst_writer_new(const struct kst_about *about,
	kst_write_fn *write, void *ctx, const struct kst_options *options);

/* A text gets the next id, above 0; the empty one is 0. The caller keeps
 * track of which texts have one: equal texts get two. -1 if it failed or is
 * longer than KST_TEXT_MAX. */
int64_t kst_writer_text(struct kst_writer *w, const char *text, size_t len);

/* The id of a launch shape, for rows' SHAPE columns; equal ones normally get
 * the same id, and one of -1 throughout is 0. -1 if it failed. */
int64_t kst_writer_shape(struct kst_writer *w, const struct kst_shape *s);

/* Adds one row: kst_writer_kernel(w, &(struct kst_kernel){ … }) and so on.
 * False where writing failed, now or before. */
bool kst_writer_row(struct kst_writer *w, enum kst_kind kind, const void *row);
/* The same, of its cells, which are changed. */
bool kst_writer_cells(struct kst_writer *w, enum kst_kind kind,
	uint64_t *cells);
#define KIND(number, kind, COLUMNS, what)                          \
	static inline bool kst_writer_##kind(struct kst_writer *w, \
		const struct kst_##kind *row)                      \
	{                                                          \
		return kst_writer_row(w, KST_##kind, row);         \
	}
KST_KINDS(KIND)
#undef KIND

/* Writes what was gathered so far. */
bool kst_writer_flush(struct kst_writer *w);
/* The same, and the chunk that shows a reader that nothing is missing. */
bool kst_writer_end(struct kst_writer *w);
void kst_writer_free(struct kst_writer *w);

/* Rows given that are in no chunk yet: where writing failed and there is no
 * tail they are lost. */
uint64_t kst_writer_waiting(const struct kst_writer *w);
/* Bytes written so far in chunks of a kind, heads included; of 0: all. */
uint64_t kst_writer_bytes(const struct kst_writer *w, int kind);

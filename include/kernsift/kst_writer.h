/* kst_writer.h - writes a capture file row by row in bounded memory.
 *
 * The writer gathers rows per kind. It writes them in chunks when a block is
 * full, when kst_writer_flush() is called, and at the end. A reader needs no
 * other chunk to read a chunk, except the texts and launches that the chunk
 * names, which are written before it. Bytes are never changed after they were
 * written, so a capture file whose end is missing is good up to that point.
 *
 * Memory: about 150 bytes per row of a block, for each kind in use, and the
 * launches seen so far (at most KST_LAUNCHES_MAX). Threads cannot share one
 * writer. */
#pragma once
#include "kst.h"
#include "kst_tail.h"
#include <stdbool.h>

/* Writes the next bytes of the capture file. False ends the writing. */
typedef bool kst_write_fn(void *ctx, const void *bytes, size_t len);

struct kst_options {
	uint32_t rows; /* of a block; 0, and more than
	               KST_ROWS_MAX: 16,384 */
	int level; /* of zstd; 0: the default of this library */
	const struct kst_memory *memory; /* NULL: malloc is used */
	struct kst_tail *tail; /* borrowed (kst_tail.h); NULL: no tail */
};

struct kst_writer;

/* Writes the opening and the capture's description of itself. `options` may be
 * NULL. Returns NULL if there is no memory or `write` returned false. */
struct kst_writer *kst_writer_new(const struct kst_about *about,
	kst_write_fn *write, void *ctx, const struct kst_options *options);

/* Gives the text the next id, which is above 0. The empty text has the id 0.
 * The caller keeps track of which texts have an id: the same text given twice
 * gets two ids. Returns -1 if it failed or if the text is longer than
 * KST_TEXT_MAX. */
int64_t kst_writer_text(struct kst_writer *w, const char *text, size_t len);

/* The id of a launch shape, for SHAPE columns of rows. Equal shapes normally
 * get the same id. A shape whose values are all -1 has the id 0. Returns -1 if
 * it failed. */
int64_t kst_writer_shape(struct kst_writer *w, const struct kst_shape *s);

/* Adds one row: kst_writer_kernel(w, &(struct kst_kernel){ … }) and so on.
 * False if writing failed, now or earlier. */
bool kst_writer_row(struct kst_writer *w, enum kst_kind kind, const void *row);
/* Adds one row that is given as its cells. Changes `cells`. */
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

/* Writes all rows and texts gathered so far as chunks. */
bool kst_writer_flush(struct kst_writer *w);
/* Flushes, and writes the end chunk, which shows that nothing is missing. */
bool kst_writer_end(struct kst_writer *w);
void kst_writer_free(struct kst_writer *w);

/* The number of rows added that are in no chunk yet. If writing failed and
 * there is no tail, these rows are lost. */
uint64_t kst_writer_waiting(const struct kst_writer *w);
/* Bytes written so far in chunks of a kind, heads included. Kind 0: all
 * bytes. */
uint64_t kst_writer_bytes(const struct kst_writer *w, int kind);

/* kst.h - the capture format: its numbers, its kinds, its rows.
 *
 * README.md describes the format byte by byte. kst.def lists what a capture
 * file can contain. kst_writer.h writes a capture file and kst_reader.h reads
 * it. Both need only libc and zstd. */
#pragma once
#include "kst.def"
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define KST_MAGIC "\x89KST\r\n\x1a\n" /* the first 8 bytes of a file */
#define KST_CHUNK_MAGIC "\xABKST" /* the first 4 bytes of a chunk */
#define KST_NOT_GIVEN ((double)NAN) /* a REAL that was not given */

enum {
	KST_MAJOR = 1, /* this library reads no other major version */
	KST_MINOR = 6, /* a newer minor version has kinds or columns that the
		        * reader skips */
	KST_OPENING = 16, /* bytes before the first chunk */
	KST_HEAD = 52, /* bytes of a chunk before its payload */
	KST_RAW_MAX = 8 << 20, /* maximum bytes of a chunk, unpacked */
	KST_TEXT_MAX = 4 << 20, /* maximum bytes of one text */
	KST_ROWS_MAX = 1 << 15, /* maximum rows of a chunk; 16,384 are usual */
	KST_LOST = -1, /* a text or shape whose chunk is damaged or missing */
};

enum kst_codec { KST_CODEC_NONE, KST_CODEC_ZSTD };

/* The kinds of chunks: three that contain no rows, and those of KST_KINDS. */
enum kst_kind {
	KST_about = 1, /* the first chunk: struct kst_about */
	KST_text = 2, /* texts, each with the next id */
	KST_end = 63, /* the last chunk: nothing is missing after it */
#define KIND(number, kind, COLUMNS, what) KST_##kind = number,
	KST_KINDS(KIND)
#undef KIND
		KST_KINDS_END = 64,
};

/* struct kst_kernel and so on: one row. Each column has 8 bytes. On writing, a
 * TEXT is an id that kst_writer_text() returned, and a SHAPE is an id that
 * kst_writer_shape() returned. On reading, they are indexes for
 * kst_reader_text() and kst_reader_shape(). A JSON and a NAME are written and
 * read like a TEXT. */
#define KST_C_INT int64_t
#define KST_C_REAL double
#define KST_C_TEXT int64_t
#define KST_C_NAME int64_t
#define KST_C_JSON int64_t
#define KST_C_SHAPE int64_t
#define COLUMN(type, field, absent, expected, what) KST_C_##type field;
#define KIND(number, kind, COLUMNS, what) \
	struct kst_##kind {               \
		COLUMNS(COLUMN)           \
	};
KST_KINDS(KIND)
#undef KIND
#undef COLUMN

/* The number of a column: KST_COLUMN(kernel, start_ns). */
#define KST_COLUMN(kind, field) (offsetof(struct kst_##kind, field) / 8)

enum kst_type { KST_INT, KST_REAL, KST_TEXT, KST_JSON, KST_SHAPE, KST_NAME };

enum kst_range_kind {
	KST_RANGE_ANNOTATION, /* on the host: user annotation, NVTX push/pop */
	KST_RANGE_GPU_ANNOTATION, /* such an annotation as the GPU recorded
				   * it */
	KST_RANGE_MODULE, /* nn.Module: … */
	KST_RANGE_PYTHON, /* a Python function */
	KST_RANGE_LOOSE, /* NVTX start/end: ranges may cross each other */
};

/* Grid and block of a launch and the resources that it needs; -1: unknown. */
struct kst_shape {
	int32_t grid[3], block[3];
	int32_t registers, shared_bytes;
};

/* A capture's description of itself; texts end in NUL. */
#define TEXT(number, field, bytes, what) char field[bytes];
#define NUMBER(number, field, absent, what) int64_t field;
struct kst_about {
	KST_ABOUT(TEXT, NUMBER)
};
#undef TEXT
#undef NUMBER

/* The allocation functions. Where this struct is optional, NULL means malloc
 * and free. grow() resizes `p`, which it returned before or which is NULL, to
 * `bytes` and returns the new address, or NULL if there is no memory. drop()
 * frees it. */
struct kst_memory {
	void *(*grow)(void *ctx, void *p, size_t bytes);
	void (*drop)(void *ctx, void *p);
	void *ctx;
};

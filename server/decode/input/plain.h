/* plain.h - turns stored bytes into plain bytes: gzip, zstd or neither */
#pragma once
#include "arena.h"
#include "note.h"
#include "source.h"

/* A source's bytes, decompressed.
 *
 * gzip (any number of members, one after the other) and zstd (any number of
 * frames) are recognized by their first bytes; everything else passes
 * unchanged. Limits are checked while bytes are produced, so that a bomb costs
 * no more than they allow. How the data ended is noted, and the bytes before
 * that are good: truncated, gzip_garbage (bytes behind the end), damaged,
 * checksum. */

struct decode_limits {
	int64_t plain_bytes; /* most after decompression */
	int64_t ratio; /* most plain bytes per stored byte, past 1 MiB */
};

/* How far decoding is; `plain_bytes` after decompression. Called at least once
 * per MiB of stored bytes. False ends decoding with the *e it set. */
struct decode_progress {
	bool (*tell)(void *ctx, int64_t stored_bytes, int64_t plain_bytes,
		struct err *e);
	void *ctx;
};

struct plain {
	struct source *source;
	const struct decode_limits *limits;
	const struct decode_progress *progress;
	struct arena *arena;
	struct notes *notes;
	const struct plain_method *method; /* NULL until the first bytes */
	void *state; /* the method's */
	const unsigned char *in;
	size_t in_len;
	unsigned char head[4]; /* the first bytes, which identify the method */
	const unsigned char *after; /* of the piece they came in */
	size_t after_len;
	bool in_end; /* the source has no more */
	bool done; /* nothing more will come out */
	bool open; /* inside a member or frame */
	int64_t member_at, member_out; /* stored and out where it began */
	enum note_code ending; /* how it ended, NOTE_CODES: well */
	int64_t stored, out,
		reported; /* bytes read, produced, and read at the last report */
};

/* `progress` may be NULL; all of it must outlive the struct. */
void plain_init(struct plain *p, struct source *s,
	const struct decode_limits *limits,
	const struct decode_progress *progress, struct arena *a,
	struct notes *notes);

/* Up to `cap` bytes to `to`; *got is less only at the end. */
bool plain_read(struct plain *p, void *to, size_t cap, size_t *got,
	struct err *e);
void plain_release(struct plain *p);

/* Whether what was read is compressed; and, after the first read, false with
 * a sentence where that is all there is: packed nothing, or damage. */
bool plain_packed(const struct plain *p);
bool plain_any(const struct plain *p, struct err *e);

/* One way to undo a compression. */
struct plain_method {
	const char *name;
	bool (*start)(struct plain *p, struct err *e);
	/* Consumes what it can of p->in, which is empty only if p->in_end is
	 * set, and writes to [*to, end), which is not empty. False only with
	 * *e; plain_end() handles every other ending. */
	bool (*step)(struct plain *p, unsigned char **to, unsigned char *end,
		struct err *e);
	void (*stop)(struct plain *p);
};

extern const struct plain_method plain_gzip, plain_zstd;

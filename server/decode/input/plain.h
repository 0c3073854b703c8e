/* plain.h - turns stored bytes into plain bytes: gzip, zstd or neither */
#pragma once
#include "arena.h"
#include "note.h"
#include "source.h"

/* A source's bytes, decompressed.
 *
 * gzip (any number of members, one after the other) and zstd (any number of
 * frames) are recognized by their first bytes; other data is passed on
 * unchanged. Limits are checked while bytes are produced, so that a
 * decompression bomb takes no more memory and time than they allow. How the
 * data ended is noted as truncated, gzip_garbage (bytes behind the end),
 * damaged or checksum. The bytes before that point are good. */

struct decode_limits {
	int64_t plain_bytes; /* maximum size after decompression */
	/* maximum ratio of uncompressed to stored bytes, past 1 MiB */
	int64_t ratio;
};

/* Reports the progress of decoding; `plain_bytes` is the size after
 * decompression. Called at least once per MiB of stored bytes. If it returns
 * false, decoding ends with the *e that it set. */
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
	void *state; /* used by the method only */
	const unsigned char *in;
	size_t in_len;
	unsigned char head[4]; /* the first bytes, which identify the method */
	/* rest of the piece that `head` came from */
	const unsigned char *after;
	size_t after_len;
	bool in_end; /* the source has no more */
	bool done; /* nothing more will come out */
	bool open; /* inside a member or frame */
	int64_t member_at, member_out; /* both at the member's start */
	enum note_code ending; /* how the data ended; NOTE_CODES: well */
	int64_t stored, out,
		reported; /* bytes read, produced, and read at the last report */
};

/* `progress` may be NULL; all arguments must outlive the struct. */
void plain_init(struct plain *p, struct source *s,
	const struct decode_limits *limits,
	const struct decode_progress *progress, struct arena *a,
	struct notes *notes);

/* Copies up to `cap` bytes to `to`; *got is less than `cap` only at the end. */
bool plain_read(struct plain *p, void *to, size_t cap, size_t *got,
	struct err *e);
void plain_release(struct plain *p);

/* plain_packed(): whether the data is compressed. plain_any(), after the first
 * read: false with a sentence if compressed data contains nothing, or only
 * damage. */
bool plain_packed(const struct plain *p);
bool plain_any(const struct plain *p, struct err *e);

/* One compression method. */
struct plain_method {
	const char *name;
	bool (*start)(struct plain *p, struct err *e);
	/* Consumes as many bytes of p->in as it can and writes to [*to, end),
	 * which is not empty. p->in is empty only if p->in_end is set. False
	 * only with *e; plain_end() handles every other ending. */
	bool (*step)(struct plain *p, unsigned char **to, unsigned char *end,
		struct err *e);
	void (*stop)(struct plain *p);
};

extern const struct plain_method plain_gzip, plain_zstd;

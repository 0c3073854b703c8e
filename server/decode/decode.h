/* decode.h - turns an upload's bytes into a trace.
 *
 * The format is recognized by the first bytes, never by a name. Any format may
 * be compressed with gzip or zstd. It is decompressed while it is read, with
 * limits on the size of the output and on its ratio to the input. Memory comes
 * from the arena, and only the arena's limit bounds the length of a trace. The
 * whole file is never in memory.
 *
 * A trace may contain several processes. kineto/kineto.c decides which
 * processes a Kineto trace has, and to which of them a GPU event belongs.
 *
 * Damaged parts of a readable file are skipped and counted as notes; the rest
 * is used. Decoding fails, with a sentence as the error, only if nothing in the
 * file can be used:
 *
 *   ERR_FORMAT     not a known format; the sentence says what was seen
 *   ERR_TRACE      the right format, but nothing in it is usable
 *   ERR_TOO_LARGE  more than the limits allow (bomb, arena limit)
 *   the source's own error, if reading it failed */
#pragma once
#include "plain.h"
#include "trace.h"

/* The caller calls trace_init() on `t` first. On success `t` is sorted and has
 * at least one process; an execution trace of PyTorch has none, but tensors
 * (tensor_uses). `progress` may be NULL. */
bool decode(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, struct trace *t, struct err *e);

/* An upload is one file, or a tar archive of several. */
struct decode_target {
	struct trace *trace; /* filled from an upload that is one file */
	/* Receives the files of an archive, one by one. `s` is valid during the
	 * call. If it returns false, with *e, decoding ends. NULL: an archive is
	 * an error. */
	bool (*file)(void *ctx, const char *name, struct source *s,
		struct err *e);
	void *ctx;
};

/* As decode(). *archive: the upload is an archive, whose files were passed to
 * to->file(); to->trace has no rows. ERR_FORMAT or ERR_TOO_LARGE if the archive
 * is damaged, or contains anything but regular files and folders. */
bool decode_files(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, const struct decode_target *to,
	bool *archive, struct err *e);

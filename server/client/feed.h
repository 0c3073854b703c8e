/* feed.h - the bytes of an upload, packed if the file is plain.
 *
 * One file, or two as one, read piece by piece, so that no file is held in memory
 * as a whole. A file that can seek starts again for another try; a pipe cannot once
 * anything was read from it. Owns its descriptors. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

/* PACK_OTHER: packed in a way that this module cannot pack in. */
enum pack_kind { PACK_NONE, PACK_ZSTD, PACK_GZIP, PACK_OTHER };

enum { PACK_PIECE = 128 * 1024 }; /* plain bytes of a full piece */

struct feed;

/* `path` "-" is the standard input. NULL with a message if the file cannot be
 * read, is a directory or is empty. */
struct feed *feed_new(const char *path, enum pack_kind kind, struct err *e);
/* The same for an open file, which the feed owns from now on. */
struct feed *feed_new_open(int fd, const char *path, enum pack_kind kind,
	struct err *e);

/* A file and a second one behind it, with an end of line between. If one is packed,
 * the other is packed the same way; NULL with a message if they are packed in
 * different ways. Numbers below count both, names are the first one's. */
struct feed *feed_joined(const char *path, const char *behind,
	enum pack_kind kind, struct err *e);
void feed_free(struct feed *f);

/* Its name for messages, valid text; its base name unchanged, NULL for the standard
 * input. */
const char *feed_label(const struct feed *f);
const char *feed_base_name(const struct feed *f);
/* The packing of the first file. */
enum pack_kind feed_found(const struct feed *f);

/* The next bytes, at most `room`; *len is 0 at the end. */
bool feed_next(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e);
/* Starts again; false with a message if that is impossible. */
bool feed_restart(struct feed *f, struct err *e);

/* Bytes read from the files so far, and their total; -1 unknown. */
int64_t feed_bytes_read(const struct feed *f);
int64_t feed_total(const struct feed *f);
/* Total of the bytes that feed_next() will return; -1 unknown until the end. */
int64_t feed_length(const struct feed *f);
/* Bytes that feed_next() has returned. */
int64_t feed_bytes_sent(const struct feed *f);

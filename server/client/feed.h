/* feed.h - the bytes of an upload on their way out, packed where they are plain.
 *
 * Of a file, or of two as one. Pulled piece by piece, so that no file is ever
 * held whole. A file that can seek starts again for another try; a pipe cannot
 * once anything was taken from it. Owns its descriptors. */
#pragma once
#include "pack.h"
#include <stdint.h>

struct feed;

/* `path` "-" is the standard input. NULL with a sentence where the file cannot
 * be read, is a directory or is empty. */
struct feed *feed_new(const char *path, enum pack_kind kind, struct err *e);
/* The same of a file that is open already, and is the feed's from now on. */
struct feed *feed_new_open(int fd, const char *path, enum pack_kind kind,
	struct err *e);

/* A file with a second one behind it, an end of line between the two. Where
 * one is packed already, the other is packed likewise; a sentence where both
 * are, by different means. What follows is of both together, names are the
 * first one's. */
struct feed *feed_joined(const char *path, const char *behind,
	enum pack_kind kind, struct err *e);
void feed_free(struct feed *f);

/* What to call it in a line on the terminal, valid text; its base name as it
 * is, NULL for the standard input. */
const char *feed_label(const struct feed *f);
const char *feed_base_name(const struct feed *f);
/* What the first file is packed with already; pack.h. */
enum pack_kind feed_found(const struct feed *f);

/* The next bytes, at most `room`; *len is 0 at the end. */
bool feed_next(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e);
/* From the start again; a sentence where that cannot be. */
bool feed_restart(struct feed *f, struct err *e);

/* Bytes of the file: taken so far, and in all, -1 unknown. */
int64_t feed_taken(const struct feed *f);
int64_t feed_total(const struct feed *f);
/* Bytes that will be given out in all; -1 where that shows only at the end. */
int64_t feed_length(const struct feed *f);
/* Bytes given out so far. */
int64_t feed_given(const struct feed *f);

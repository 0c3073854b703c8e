/* feed.h - reads the bytes of an upload, and compresses them if the file is not
 * compressed.
 *
 * The source is one file, two files one after the other, or a tar archive of a
 * file and those of a folder. They are read piece
 * by piece, so that no file is held in memory as a whole. A file that can seek
 * is read again from its start for another try. A pipe cannot be read again
 * after the first byte. The feed owns its file descriptors. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

/* PACK_OTHER: compressed in a format that this module cannot write. */
enum pack_kind { PACK_NONE, PACK_ZSTD, PACK_GZIP, PACK_OTHER };

enum { PACK_PIECE = 128 * 1024 }; /* plain bytes of a full piece */

struct feed;

/* `path` "-" is the standard input. Returns NULL with a message if the file
 * cannot be read, is a directory or is empty. */
struct feed *feed_new(const char *path, enum pack_kind kind, struct err *e);
/* Like feed_new(), for an open file, which the feed owns from now on. */
struct feed *feed_new_open(int fd, const char *path, enum pack_kind kind,
	struct err *e);

/* Joins a file and a second one, with a line end between them. If one is
 * compressed, the other is compressed in the same format. Returns NULL with a
 * message if they are compressed in different formats. The numbers below count
 * the bytes of both; names are those of the first file. */
struct feed *feed_joined(const char *path, const char *behind,
	enum pack_kind kind, struct err *e);

/* Packs a file and the files of a folder as a tar archive: the file first, then
 * the others by name, without hidden files and folders. Times and owners are
 * not included, so that the same files give the same bytes. Returns NULL with a
 * message if the folder has no files, or if `path` is no regular file. */
struct feed *feed_archived(const char *path, const char *folder,
	enum pack_kind kind, struct err *e);

/* Makes the bytes of a feed those of a form: the feed's file, then the `n` files
 * at `paths` with the name `field`. Call it before the first feed_next(). Names
 * are still those of the first file. Returns the Content-Type of the form, which
 * the feed owns; NULL with a message if a file cannot be read. */
const char *feed_form(struct feed *f, const char *field,
	const char *const *paths, int n, struct err *e);
void feed_free(struct feed *f);

/* feed_label() is the file's name for messages, as valid text. feed_base_name()
 * is the unchanged base name; NULL for the standard input. */
const char *feed_label(const struct feed *f);
const char *feed_base_name(const struct feed *f);
/* The compression of the first file. */
enum pack_kind feed_found(const struct feed *f);

/* Reads the next bytes, at most `room`; *len is 0 at the end. */
bool feed_next(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e);
/* Starts again from the first byte; returns false with a message if that is
 * impossible. */
bool feed_restart(struct feed *f, struct err *e);

/* The number of bytes read from the files so far, and the total number; -1 if
 * unknown. */
int64_t feed_bytes_read(const struct feed *f);
int64_t feed_total(const struct feed *f);
/* The total number of bytes that feed_next() will return; -1 before the end if
 * this is unknown. */
int64_t feed_length(const struct feed *f);
/* The number of bytes that feed_next() has returned so far. */
int64_t feed_bytes_sent(const struct feed *f);

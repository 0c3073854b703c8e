/* archive.h - the file of a backup: a stream becomes the file, and the file the
 * stream again. */
#pragma once
#include "manifest.h"

/* ---- writing
 *
 * The file is written beside its place, under its name with six letters behind
 * it, and renamed when it is complete and on the disk: a file of that name is a
 * complete backup, and an existing file is not overwritten. */
struct archive_writer;

/* NULL with *e if the file already exists or cannot be created. */
struct archive_writer *archive_writer_new(const char *path, struct err *e);
/* The next bytes, any number. */
bool archive_write(struct archive_writer *w, const void *bytes, size_t len,
	struct err *e);
/* The end of the stream: fills in the manifest's `bytes` and `sha256`. */
bool archive_writer_end(struct archive_writer *w, struct manifest *m,
	struct err *e);
/* Leaves no file unless it was completed. NULL is fine. */
void archive_writer_free(struct archive_writer *w);

/* ---- reading
 *
 * archive_reader_new() reads the whole file and rejects one that is cut or
 * damaged anywhere, so that what is read afterwards is complete. */
struct archive_reader;

/* NULL with *e, which names the file: ERR_INPUT if it cannot be read,
 * ERR_FORMAT if it is not a complete backup in a known format. */
struct archive_reader *archive_reader_new(const char *path, struct manifest *m,
	struct err *e);
/* The next bytes, good until the next call; *len is 0 at the end. */
bool archive_read(struct archive_reader *r, const void **bytes, size_t *len,
	struct err *e);
/* NULL is fine. */
void archive_reader_free(struct archive_reader *r);

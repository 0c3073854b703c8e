/* archive_write.h - a stream becomes a backup's file.
 *
 * It is written beside its place, under the name with six letters behind it,
 * and takes its name when it is whole and on the disk: a file of that name is
 * a whole backup, and one that is there is not written over. */
#pragma once
#include "manifest.h"

struct archive_writer;

/* NULL with *e: the file is there, or cannot be made. */
struct archive_writer *archive_writer_new(const char *path, struct err *e);
/* The next bytes, any number. */
bool archive_write(struct archive_writer *w, const void *bytes, size_t len,
	struct err *e);
/* The end of the stream: fills in the manifest's `bytes` and `sha256`. */
bool archive_writer_end(struct archive_writer *w, struct manifest *m,
	struct err *e);
/* Leaves no file where it was not ended. NULL is fine. */
void archive_writer_free(struct archive_writer *w);

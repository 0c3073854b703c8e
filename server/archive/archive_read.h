/* archive_read.h - a backup's file becomes the stream again.
 *
 * archive_reader_new() reads all of the file and refuses one that is cut or
 * damaged anywhere, so that what is read afterwards is whole. */
#pragma once
#include "manifest.h"

struct archive_reader;

/* NULL with *e, which names the file: ERR_INPUT where it cannot be read,
 * ERR_FORMAT where it is no whole backup that we know. */
struct archive_reader *archive_reader_new(const char *path, struct manifest *m,
	struct err *e);
/* The next bytes, good until the next call; *len is 0 at the end. */
bool archive_read(struct archive_reader *r, const void **bytes, size_t *len,
	struct err *e);
/* NULL is fine. */
void archive_reader_free(struct archive_reader *r);

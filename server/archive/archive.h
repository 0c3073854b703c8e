/* archive.h - writes a stream to the file of a backup, and reads the stream
 * from the file. */
#pragma once
#include "manifest.h"

/* ---- writing
 *
 * The data is first written to a temporary file in the same folder: its name is
 * that of the backup plus six letters. When all data is on the disk, the
 * temporary file is renamed. So a file with the backup's name is always
 * complete, and an existing file is never overwritten. */
struct archive_writer;

/* NULL with *e if the file already exists or cannot be created. */
struct archive_writer *archive_writer_new(const char *path, struct err *e);
/* Writes the next bytes, any number. */
bool archive_write(struct archive_writer *w, const void *bytes, size_t len,
	struct err *e);
/* Ends the stream: sets `bytes` and `sha256` of the manifest. */
bool archive_writer_end(struct archive_writer *w, struct manifest *m,
	struct err *e);
/* Removes the temporary file if the archive was not completed. NULL is allowed.
 */
void archive_writer_free(struct archive_writer *w);

/* ---- reading
 *
 * archive_reader_new() reads the whole file and rejects it if it is incomplete
 * or damaged anywhere. The bytes that archive_read() returns later are
 * therefore complete. */
struct archive_reader;

/* NULL with *e, which names the file: ERR_INPUT if it cannot be read,
 * ERR_FORMAT if it is not a complete backup in a known format. */
struct archive_reader *archive_reader_new(const char *path, struct manifest *m,
	struct err *e);
/* Returns the next bytes, valid until the next call; *len is 0 at the end. */
bool archive_read(struct archive_reader *r, const void **bytes, size_t *len,
	struct err *e);
/* NULL is allowed. */
void archive_reader_free(struct archive_reader *r);

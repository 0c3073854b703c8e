/* source.h - where the bytes of an upload come from.
 *
 * A decoder pulls bytes without knowing whether they come from a file, from
 * memory or from rows of a database. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

struct source {
	/* Returns the next piece. *bytes is valid until the next call; *len is
	 * 0 at the end. False with *e if the bytes cannot be read, or if the
	 * caller has lost the right to continue. */
	bool (*next)(void *ctx, const void **bytes, size_t *len, struct err *e);
	void *ctx;
	int64_t total_bytes; /* size as stored; -1 unknown */
};

/* Sources: a file opened for reading, in pieces of 64 KiB; an open file, which
 * the source owns from then on; a range of memory, in one piece. */
struct source_file;
struct source_file *source_file_new(const char *path, struct source *s,
	struct err *e);
struct source_file *source_file_new_open(int fd, const char *path,
	struct source *s, struct err *e);
void source_file_free(struct source_file *f);

struct source_memory {
	const void *bytes;
	size_t len;
	bool read;
};
void source_memory_init(struct source_memory *m, struct source *s,
	const void *bytes, size_t len);

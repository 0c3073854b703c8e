/* source.h - where the bytes of an upload come from.
 *
 * A decoder pulls bytes without knowing whether they come from a file, from
 * memory or from rows of a database. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

struct source {
	/* The next piece: *bytes is good until the next call; *len is 0 at the
	 * end. False with *e where the bytes cannot be had, or where the one
	 * who reads them has lost the right to go on. */
	bool (*next)(void *ctx, const void **bytes, size_t *len, struct err *e);
	void *ctx;
	int64_t total_bytes; /* as stored; -1 unknown */
};

/* A file opened for reading, in pieces of 1 MiB; a span of memory, whole. */
struct source_file;
struct source_file *source_file_new(const char *path, struct source *s,
	struct err *e);
void source_file_free(struct source_file *f);

struct source_memory {
	const void *bytes;
	size_t len;
	bool read;
};
void source_memory_init(struct source_memory *m, struct source *s,
	const void *bytes, size_t len);

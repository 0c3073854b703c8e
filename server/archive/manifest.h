/* manifest.h - the description that a backup contains, as lines of text.
 *
 * A line is a key, a space and a value. The last line is the sha256 of the
 * lines before it. The order is fixed; a file with a line more or less has
 * another format. */
#pragma once
#include "err.h"
#include "sha256.h"
#include <stddef.h>
#include <stdint.h>

enum {
	MANIFEST_FORMAT = 1,
	MANIFEST_TEXT = 2048, /* maximum length of the manifest, with its NUL */
	MANIFEST_WORD = 40,
};

struct manifest {
	char made_at[MANIFEST_WORD]; /* UTC, to the second */
	char version[MANIFEST_WORD]; /* version of kernsiftd */
	int64_t postgres; /* major version of the server */
	int64_t schema; /* number of the last migration */
	/* digest of the hashes of all migrations */
	char migrations[SHA256_HEX];
	int64_t raw; /* 1: contains the bytes of uploads, 0: does not */
	int64_t uploads, chunks, runs, kernels, tokens; /* number of rows */
	int64_t bytes; /* number of bytes after the manifest */
	char sha256[SHA256_HEX]; /* digest of these bytes */
};

void manifest_text(const struct manifest *m, char text[MANIFEST_TEXT]);
/* Parses the text, which is modified. ERR_FORMAT if the text is not a manifest,
 * has an unknown format or is damaged. */
bool manifest_from(struct manifest *m, char *text, struct err *e);

/* manifest.h - what a backup says of itself, as lines of text.
 *
 * A line is a key, a blank and a value; the last one is the sha256 of those
 * before it. The order is fixed, and a line more or less is another format. */
#pragma once
#include "err.h"
#include "sha256.h"
#include <stddef.h>
#include <stdint.h>

enum {
	MANIFEST_FORMAT = 1,
	MANIFEST_TEXT = 2048, /* room for all of it, with its NUL */
	MANIFEST_WORD = 40,
};

struct manifest {
	char made_at[MANIFEST_WORD]; /* UTC, to the second */
	char version[MANIFEST_WORD]; /* of kernsiftd */
	int64_t postgres; /* major version of the server */
	int64_t schema; /* number of the last migration */
	char migrations[SHA256_HEX]; /* over the hashes of all of them */
	int64_t raw; /* 1: the bytes of uploads are in it, 0: left out */
	int64_t uploads, chunks, runs, kernels, tokens; /* rows */
	int64_t bytes; /* after the manifest */
	char sha256[SHA256_HEX]; /* of these bytes */
};

void manifest_text(const struct manifest *m, char text[MANIFEST_TEXT]);
/* ERR_FORMAT if the text is no manifest, has an unknown format or is damaged.
 * `text` is changed. */
bool manifest_from(struct manifest *m, char *text, struct err *e);

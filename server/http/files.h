/* files.h - the page's files: from a folder, or carried in the program.
 *
 * A path without a dot is a view of the page and gives index.html, so that a
 * link to /runs/7 works. Libraries that were fetched for the page, below kept/,
 * lie in no folder and are those in the program. Nothing outside the folder is
 * given out, by `..` or by a symbolic link. Constant after files_new(): any
 * thread may ask. */
#pragma once
#include "err.h"
#include <stddef.h>

struct files;
/* `dir` NULL or "": the files in the program. */
struct files *files_new(const char *dir, struct err *e);
void files_free(struct files *f);

enum { ETAG_TEXT = 24 };

struct web_file {
	const void *bytes;
	size_t len;
	const char *type;
	char etag[ETAG_TEXT]; /* strong, with its quotes */
	void *owned; /* what to free() when done; NULL: lives on */
};

bool files_get(const struct files *f, const char *path, struct web_file *out,
	struct err *e); /* ERR_NOT_FOUND */
/* Whether an If-None-Match header (NULL none) names this etag. */
bool files_match(const char *header, const char *etag);

/* files.h - serves the files of the web UI, from a folder or from the program.
 *
 * A path without a dot is a view of the page, such as /runs/7. The answer is
 * index.html, so that a link to the view works. The libraries below kept/,
 * which the build downloaded for the page, are not in the folder; they are
 * always served from the program. Nothing outside the folder is served, neither
 * by `..` nor by a symbolic link. The data is constant after files_new(), so
 * any thread may use it. */
#pragma once
#include "err.h"
#include <stddef.h>

struct files;
/* If `dir` is NULL or "", the files in the program are served. */
struct files *files_new(const char *dir, struct err *e);
void files_free(struct files *f);

enum { ETAG_TEXT = 24 };

struct web_file {
	const void *bytes;
	size_t len;
	const char *type;
	char etag[ETAG_TEXT]; /* a strong ETag, with its quotes */
	void *owned; /* free() this after use; NULL: nothing to free */
};

bool files_get(const struct files *f, const char *path, struct web_file *out,
	struct err *e); /* ERR_NOT_FOUND */
/* Whether an If-None-Match header (NULL if there is none) contains this ETag.
 */
bool files_match(const char *header, const char *etag);

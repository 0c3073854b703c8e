/* files.h - finds the files of the web UI, in a folder or in the program.
 *
 * A path without a dot is a view of the page, such as /runs/7. The answer is
 * index.html, so that a link to the view works. The libraries below kept/,
 * which the build downloaded for the page, are not in the folder; they are
 * always served from the program. Nothing outside the folder is served, neither
 * by `..` nor by a symbolic link. The data is constant after files_new(), so
 * any thread may use it.
 *
 * The build made the files in the program (web/kept/bundle): text has a copy
 * that gzip compressed, and the names below bundle/ contain a hash of the
 * contents, so these files never change. */
#pragma once
#include "err.h"
#include <stddef.h>

struct files;
/* If `dir` is NULL or "", the files in the program are served. `perfetto` is the
 * folder with a copy of the Perfetto UI, served below /perfetto/; NULL or "":
 * none. */
struct files *files_new(const char *dir, const char *perfetto, struct err *e);
void files_free(struct files *f);

enum { ETAG_TEXT = 24 };

struct web_file {
	const void *bytes;
	size_t len;
	const char *type;
	bool gzip; /* `bytes` are compressed */
	bool has_gzip; /* other clients get other bytes */
	bool never_changes; /* at this path */
	bool of_perfetto; /* a file of the Perfetto UI, not of the page */
	/* a strong ETag of the bytes before compression, with its quotes */
	char etag[ETAG_TEXT];
	void *owned; /* free() this after use; NULL: nothing to free */
};

/* `gzip`: the client accepts compressed bytes. Fails with ERR_NOT_FOUND. */
bool files_get(const struct files *f, const char *path, bool gzip,
	struct web_file *out, struct err *e);
/* Whether an If-None-Match header (NULL if there is none) contains this ETag.
 */
bool files_match(const char *header, const char *etag);

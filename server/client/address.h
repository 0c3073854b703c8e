/* address.h - URLs of requests, and of the pages that messages name.
 *
 * Names of projects, labels and files may hold any bytes: everything except
 * letters, digits and "-._~" is percent-encoded. */
#pragma once
#include "buf.h"
#include "err.h"
#include "options.h"
#include <stdint.h>

enum { ADDRESS_MAX = 64 * 1024 };

/* Whether the host is this machine, which a proxy cannot reach. */
bool address_is_local(const char *server);

/* The following functions add to a buf_init()ed buffer, ceiling ADDRESS_MAX. */

/* A path of the server, as it is. */
void address_path(struct buf *b, const char *server, const char *path);
/* POST /uploads with everything from the options; `file` is the base name or
 * NULL. */
void address_send(struct buf *b, const struct options *o, const char *file);
/* GET /compare with everything from the options; `format` is one of the API. */
void address_compare(struct buf *b, const struct options *o,
	const char *format);
/* POST /reference-sets; `name` is the reference set. */
void address_import(struct buf *b, const char *server, const char *name);
/* The page of a reference set. */
void address_set(struct buf *b, const char *server, const char *name);
/* GET /uploads/{id} */
void address_upload(struct buf *b, const char *server, int64_t id);
/* The page of a run. */
void address_run(struct buf *b, const char *server, int64_t id);

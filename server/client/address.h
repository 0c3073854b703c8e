/* address.h - every address the client asks, and those it shows to people.
 *
 * Names of projects, labels and files are anybody's bytes: all of them are
 * percent-encoded, everything but letters, digits and "-._~". */
#pragma once
#include "buf.h"
#include "err.h"
#include "options.h"
#include <stdint.h>

enum { ADDRESS_MAX = 64 * 1024 };

/* Whether the host is this machine, which no proxy can reach. */
bool address_is_local(const char *server);

/* These add to a buf_init()ed buffer, ceiling ADDRESS_MAX. */

/* POST /uploads with all that the options say; `file` is the base name, or
 * NULL where there is none. */
void address_send(struct buf *b, const struct options *o, const char *file);
/* GET /compare with all that the options say; `format` as the API has it. */
void address_compare(struct buf *b, const struct options *o,
	const char *format);
/* POST /sets; `name` of the set. */
void address_import(struct buf *b, const char *server, const char *name);
/* The page of a set. */
void address_set(struct buf *b, const char *server, const char *name);
/* GET /uploads/{id} */
void address_upload(struct buf *b, const char *server, int64_t id);
/* The page of a run. */
void address_run(struct buf *b, const char *server, int64_t id);
/* GET /readyz */
void address_ready(struct buf *b, const char *server);
/* POST /gates */
void address_gates(struct buf *b, const char *server);
/* GET /gates/{id} in a format of the API's, whose links lead to this server. */
void address_gate(struct buf *b, const char *server, int64_t id,
	const char *format);

/* pack.h - compresses plain bytes, piece by piece.
 *
 * The server recognizes an upload by the digest of its stored bytes, so the same
 * plain bytes must always give the same packed ones: nothing about the file (name,
 * time, size) is included, and all pieces except the last must be full, so that a
 * pipe and a file give the same. This holds for one version of the library. */
#pragma once
#include "err.h"
#include <stddef.h>

enum pack_kind { PACK_NONE, PACK_ZSTD, PACK_GZIP, PACK_OTHER };

enum { PACK_PIECE = 128 * 1024 }; /* plain bytes of a full piece */

/* The kind of a name that the options allow. */
enum pack_kind pack_kind(const char *name);
/* The packing of a file that begins like this: PACK_NONE if it is plain, PACK_OTHER
 * if this module cannot pack like it. */
enum pack_kind pack_found(const void *first, size_t len);

struct pack;
/* Only PACK_ZSTD and PACK_GZIP are kinds to pack with. */
struct pack *pack_new(enum pack_kind kind);
void pack_free(struct pack *p);
/* Starts over. */
void pack_restart(struct pack *p);
/* Adds the next piece; `last` for the last one, which may be empty. Its
 * bytes must stay until pack_next() has returned an empty span. */
void pack_add(struct pack *p, const void *piece, size_t len, bool last);
/* Writes at most `room` packed bytes to `out`; *len is 0 when the piece is
 * finished. */
bool pack_next(struct pack *p, void *out, size_t room, size_t *len,
	struct err *e);

/* pack.h - plain bytes become compressed ones, piece by piece.
 *
 * An upload is known by the digest of its stored bytes, so the same plain
 * bytes must always give the same packed ones: nothing about the file (name,
 * time, size) goes in, and the pieces must be full ones but for the last, so
 * that a pipe gives what a file gives. This holds for one version of the
 * compressing library. */
#pragma once
#include "err.h"
#include <stddef.h>

enum pack_kind { PACK_NONE, PACK_ZSTD, PACK_GZIP, PACK_OTHER };

enum { PACK_PIECE = 128 * 1024 }; /* plain bytes of a full piece */

/* The kind of a name that options_init() let through. */
enum pack_kind pack_kind(const char *name);
/* What a file that begins so is packed with already: a kind, PACK_NONE where
 * it is not, PACK_OTHER where we could not pack so. */
enum pack_kind pack_found(const void *first, size_t len);

struct pack;
/* Only PACK_ZSTD and PACK_GZIP are kinds to pack with. */
struct pack *pack_new(enum pack_kind kind);
void pack_free(struct pack *p);
/* Starts over. */
void pack_restart(struct pack *p);
/* Gives the next piece, `last` with the last one, which may be empty. Its
 * bytes must stay until pack_next() has returned an empty span. */
void pack_add(struct pack *p, const void *piece, size_t len, bool last);
/* Writes at most `room` packed bytes to `out`; *len is 0 when the piece is
 * used up. */
bool pack_next(struct pack *p, void *out, size_t room, size_t *len,
	struct err *e);

/* content_encoding.h - compresses answers with gzip, for clients that accept
 * it.
 *
 * gzip is the only content coding: every HTTP client of today accepts it. The
 * data is constant, so any thread may call these functions.
 *
 * An attacker who can add text to a compressed answer and see its length can
 * guess other text of the answer (BREACH). That needs a secret that many
 * answers repeat, and there is none: a token is only in the answer that creates
 * it, and a session only in a cookie, which is a header. */
#pragma once
#include "api.h"

/* What a client accepts, by its header Accept-Encoding. */
enum content_encoding {
	ENCODING_IDENTITY, /* only unchanged bytes */
	ENCODING_EITHER, /* gzip, too */
	ENCODING_GZIP /* gzip, and not unchanged bytes (identity;q=0) */
};

/* `header` is NULL without the header; then the client gets unchanged bytes. A
 * coding whose weight is malformed is not accepted. */
enum content_encoding content_encoding_of(const char *header);
/* Replaces the answer's body or stream by its gzip form if that is accepted and
 * worth its time. Returns whether it did; the caller then sends the header
 * Content-Encoding. A stream is compressed while it is sent, in a memory block
 * of constant size. */
bool content_encoding_apply(struct api_answer *a, enum content_encoding c);

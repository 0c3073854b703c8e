/* cursor.h - the position where the next page of a list begins, as opaque text
 * with a digest.
 *
 * A cursor contains two numbers, whose meaning its handler defines. It also
 * contains a digest of these numbers, the path and all parameters except
 * `limit` and `cursor`. A cursor that was changed, or is used with another
 * list, is therefore rejected instead of returning the wrong page. The digest
 * uses no secret key, because a cursor grants no access. */
#pragma once
#include "call.h"

enum { CURSOR_TEXT = 33 };

void cursor_write(const struct call *c, int64_t a, int64_t b,
	char out[CURSOR_TEXT]);
/* Reads the two numbers; both are 0 if no cursor was given. */
bool cursor_read(const struct call *c, int64_t *a, int64_t *b, struct err *e);

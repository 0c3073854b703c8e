/* cursor.h - where a list's next page begins, as an opaque checked word.
 *
 * A cursor holds two numbers that its handler understands, and a digest over them, the
 * path and every parameter except limit and cursor. One that was changed, or is used
 * with another list, is refused instead of answering from the wrong place. The digest is
 * no secret: a cursor grants nothing. */
#pragma once
#include "call.h"

enum { CURSOR_TEXT = 33 };

void cursor_write(const struct call *c, int64_t a, int64_t b,
	char out[CURSOR_TEXT]);
/* 0 and 0 if no cursor was given. */
bool cursor_read(const struct call *c, int64_t *a, int64_t *b, struct err *e);

/* text_validate.h - names and other short texts that users give, checked before
 * they are stored.
 *
 * UTF-8 of at most TEXT_VALIDATE_MAX bytes; the schema has the same bound, so
 * that a text fits an index. */
#pragma once
#include "arena.h"
#include "err.h"

enum { TEXT_VALIDATE_MAX = 500 };

/* ERR_INPUT with a sentence that begins with `what` ("project"). */
bool text_validate(const char *what, const char *text, struct err *e);
/* The same for control characters, which a terminal would obey. */
bool text_validate_printable(const char *what, const char *text, struct err *e);
/* The text for a terminal: '?' for each control character. */
const char *text_validate_mask(struct arena *a, const char *text);

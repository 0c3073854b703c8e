/* text_validate.h - names and other short texts that users give, checked before
 * they are stored.
 *
 * A text is UTF-8 of at most TEXT_VALIDATE_MAX bytes. The schema has the same
 * limit, so that a text fits into an index. */
#pragma once
#include "arena.h"
#include "err.h"

enum { TEXT_VALIDATE_MAX = 500 };

/* Fails with ERR_INPUT and a sentence that begins with `what` ("project"). */
bool text_validate(const char *what, const char *text, struct err *e);
/* As text_validate(), and also rejects control characters, which a terminal
 * would execute. */
bool text_validate_printable(const char *what, const char *text, struct err *e);
/* The text with '?' for each control character, for a terminal. */
const char *text_validate_mask(struct arena *a, const char *text);

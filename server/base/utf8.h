/* utf8.h - makes any bytes valid text, once, at the door.
 *
 * PostgreSQL refuses invalid UTF-8 and U+0000, Jansson the former: whatever
 * comes in as a name passes through here and is text from then on. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Whether all the bytes are well-formed UTF-8 (no overlong forms, no
 * surrogates, nothing past U+10FFFF) without U+0000. */
bool utf8_valid(const char *s, size_t len);

/* Writes s to out with each malformed sequence and each U+0000 replaced by
 * U+FFFD; returns the length written. `out` has room for 3 * len bytes. */
size_t utf8_mend(char *out, const char *s, size_t len);

/* The longest prefix of s, at most len bytes, that does not end inside a
 * character. */
size_t utf8_clip(const char *s, size_t len);

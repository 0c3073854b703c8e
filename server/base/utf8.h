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
size_t utf8_sanitize(char *out, const char *s, size_t len);

/* The length of the len bytes at s without a character that their end cuts. */
size_t utf8_trim(const char *s, size_t len);

/* The length of the text at s, len bytes, in at most max bytes: len if it fits,
 * else that of its longest prefix which does not end inside a character. Only
 * the text's own bytes are read, whatever max is. */
size_t utf8_clip(const char *s, size_t len, size_t max);

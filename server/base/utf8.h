/* utf8.h - converts any bytes to valid text, once, when they arrive.
 *
 * PostgreSQL rejects invalid UTF-8 and U+0000; Jansson rejects invalid UTF-8.
 * Every name from outside is therefore converted here before it is used. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Whether all bytes are well-formed UTF-8 (no overlong forms, no surrogates,
 * nothing above U+10FFFF) without U+0000. */
bool utf8_valid(const char *s, size_t len);

/* Writes s to `out`, with U+FFFD instead of each malformed sequence and each
 * U+0000. Returns the length written. `out` needs room for 3 * len bytes. */
size_t utf8_sanitize(char *out, const char *s, size_t len);

/* The length of s without an incomplete character at its end; s has len bytes.
 */
size_t utf8_trim(const char *s, size_t len);

/* The length of s, which has len bytes, when it is cut to at most max bytes:
 * len if it fits, otherwise the length of its longest prefix that does not end
 * inside a character. Only bytes of s are read, even if max is larger than len.
 */
size_t utf8_clip(const char *s, size_t len, size_t max);

/* text.h - a JSON string becomes an interned name.
 *
 * Most strings of a trace were seen before and hold no escapes: they cost one
 * lookup of their bytes. The rest is unescaped and made valid UTF-8: invalid
 * bytes, U+0000 and lone surrogates become U+FFFD. A text longer than TEXT_MAX
 * is cut and ends in "…" and 16 digits of the whole text's SHA-256, so that two
 * texts with the same beginning stay distinct. What was repaired or cut, or is
 * unusually long, is noted. */
#pragma once
#include "scan.h"
#include "trace.h"

enum { TEXT_LONG = 4000, TEXT_MAX = 64 << 10 };

struct text {
	struct trace *trace;
	char *scratch; /* of the arena; grows to the longest string met */
	size_t scratch_cap;
};

/* The id of a string's text; NAMES_NONE where the arena is full. */
uint32_t text_id(struct text *t, const struct text_span *s);

/* The id of a value's JSON text with the white space between its parts taken
 * out. Nothing of it is cut: it would be JSON no more. */
uint32_t text_json_id(struct text *t, const struct text_span *s);

/* The id of text that is no JSON, mended like a string's and cut the same way,
 * to `max` bytes with the mark: 20 to TEXT_MAX. With SIZE_MAX nothing is cut. */
uint32_t text_put(struct text *t, const char *s, size_t len, size_t max);

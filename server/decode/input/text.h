/* text.h - a JSON string becomes an interned name.
 *
 * Most strings of a trace were seen before and contain no escapes; they need
 * one lookup of their bytes. Other strings are unescaped and made valid UTF-8:
 * invalid bytes, U+0000 and lone surrogates become U+FFFD. A text longer than
 * TEXT_MAX is cut and ends in "…" and 16 digits of the SHA-256 of the uncut
 * text, so that two texts with the same beginning stay distinct. Texts that
 * were repaired or cut, or that are unusually long, are noted. */
#pragma once
#include "scan.h"
#include "trace.h"

enum { TEXT_LONG = 4000, TEXT_MAX = 64 << 10 };

/* JSON values are also stored as they are written, because most of them occur
 * again, and finding a value is faster than taking out its white space again.
 * Eight public traces of 10,755 to 73,134 values have 225 to 656 different
 * ones; the longest has 739 bytes. */
enum { TEXT_WRITTEN_MAX = 4096, TEXT_WRITTEN_BYTES = 1024 };

struct text {
	struct trace *trace;
	struct names written; /* JSON values with their white space */
	uint32_t *ids; /* in the arena; by id of `written` */
	char *scratch; /* in the arena; grows to the longest string so far */
	size_t scratch_cap;
};

/* The id of a string's text; NAMES_NONE if the arena is full. */
uint32_t text_id(struct text *t, const struct text_span *s);

/* The id of a value's JSON text without the white space between its tokens. The
 * text is never cut, because it would then be invalid JSON. */
uint32_t text_json_id(struct text *t, const struct text_span *s);

/* The id of text that is not JSON. The text is repaired as a string is, and cut
 * to `max` bytes including the mark (20 to TEXT_MAX). With SIZE_MAX it is not
 * cut. */
uint32_t text_put(struct text *t, const char *s, size_t len, size_t max);

/* Length of an AMD kernel's name without the suffix of its symbol, ".kd" or
 * " [clone .kd]". */
size_t text_kernel_len(const char *name, size_t len);

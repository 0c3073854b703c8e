/* scan.h - scans JSON text: values, strings, numbers as text */
#pragma once
#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Scans JSON text in memory that is not trusted.
 *
 * Each function takes a position and returns the position after the value that
 * it read. If it cannot read the value, it returns NULL and scan.at is the
 * offending byte. `at >= end` then means that the text ended too early; the
 * same call may succeed with more text.
 *
 * The text is followed by SCAN_PAD zero bytes, so that no function checks
 * bounds byte by byte, and 64 bytes may be loaded from any position in it. No
 * function recurses; the depth is counted and bounded.
 *
 * A strict scan ends a string at an unescaped control character. A `lenient`
 * scan is for files whose writer did not escape quotes: a quote ends a string
 * only if the text after it looks like that (scan_repair_string()). */

enum { SCAN_PAD = 64, SCAN_DEPTH = 256 };

struct scan {
	const char *end;
	const char *at;
	bool lenient;
	/* the last string contains escapes or raw control bytes */
	bool escaped;
	bool quoted; /* a string since the start contained an unescaped quote */
};

/* A string's bytes between its quotes, not unescaped. */
struct text_span {
	const char *at;
	uint32_t len;
	bool escaped;
};

static inline const char *scan_stop(struct scan *s, const char *p)
{
	s->at = p;
	return NULL;
}

/* The first byte that is not white space; a NUL byte is not white space. */
static inline const char *scan_ws(const char *p)
{
	if ((unsigned char)*p > ' ')
		return p;
	if (*p == ' ' && (unsigned char)p[1] > ' ')
		return p + 1;
#ifdef __SSE2__
	for (;; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i d = _mm_sub_epi8(v, _mm_set1_epi8(9));
		__m128i is =
			_mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(' ' - 9)),
				d);
		unsigned m = (unsigned)_mm_movemask_epi8(is) ^ 0xFFFF;
		if (m)
			return p + __builtin_ctz(m);
	}
#else
	while ((unsigned char)(*p - 9) <= ' ' - 9)
		p++;
	return p;
#endif
}

/* The first quote, backslash or control character from p on. */
static inline const char *scan_plain(const char *p)
{
#ifdef __SSE2__
	for (;; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i low =
			_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
		__m128i is =
			_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v,
							  _mm_set1_epi8('"')),
					     _mm_cmpeq_epi8(v,
						     _mm_set1_epi8('\\'))),
				low);
		unsigned m = (unsigned)_mm_movemask_epi8(is);
		if (m)
			return p + __builtin_ctz(m);
	}
#else
	while (*p != '"' && *p != '\\' && (unsigned char)*p >= 0x20)
		p++;
	return p;
#endif
}

/* Reads the part of a string that the common case below does not handle:
 * escapes and control characters. */
const char *scan_string_rest(struct scan *s, const char *p);

/* Reads from after the opening quote of a string to its closing quote. */
static inline const char *scan_string(struct scan *s, const char *p)
{
	const char *q = scan_plain(p);
	s->escaped = false;
	return *q == '"' ? q : scan_string_rest(s, q);
}

/* As scan_string(), for a value in an object or in a list. A lenient scan
 * repairs unescaped quotes. */
const char *scan_value(struct scan *s, const char *p, bool in_object);

/* Skips from inside an object or a list to after its closing bracket. */
const char *scan_close(struct scan *s, const char *p, bool in_object);

/* Skips the value at p of any type; NaN and similar words are accepted as
 * scalars. */
const char *scan_skip(struct scan *s, const char *p, bool in_object);

/* An object's fields, one by one:
 *
 *         for (p = scan_first(s, p, &end); p && !end; p = scan_next(s, p,
 * 	&end)) {
 *                 struct text_span key;
 *                 if ((p = scan_key(s, p, &key)) && … read the value at p …)
 *         }
 *
 * scan_first() enters the object at p; scan_next() skips the comma. At the end
 * of the object both set `end` and return the position after the bracket. */
static inline const char *scan_first(struct scan *s, const char *p, bool *end)
{
	*end = false;
	if (*p != '{')
		return scan_stop(s, p);
	p = scan_ws(p + 1);
	if (*p == '}') {
		*end = true;
		return p + 1;
	}
	return p;
}

static inline const char *scan_next(struct scan *s, const char *p, bool *end)
{
	p = scan_ws(p);
	if (*p == ',')
		return scan_ws(p + 1);
	if (*p != '}')
		return scan_stop(s, p);
	*end = true;
	return p + 1;
}

static inline const char *scan_key(struct scan *s, const char *p,
	struct text_span *key)
{
	if (*p != '"')
		return scan_stop(s, p);
	const char *q = scan_string(s, p + 1);
	if (!q)
		return NULL;
	*key = (struct text_span){ p + 1, (uint32_t)(q - p - 1), s->escaped };
	p = scan_ws(q + 1);
	if (*p != ':')
		return scan_stop(s, p);
	return scan_ws(p + 1);
}

/* Reads the value of a key into the caller's `to`. */
typedef const char *scan_field_fn(struct scan *s, const char *p,
	const struct text_span *key, void *to);
/* Reads all fields of the object at p; any other value is skipped. */
const char *scan_fields(struct scan *s, const char *p, scan_field_fn *field,
	void *to);

/* Reads the string at p. Any other value is skipped and sets `at` to NULL. */
static inline const char *scan_text(struct scan *s, const char *p,
	struct text_span *text)
{
	if (*p != '"') {
		*text = (struct text_span){ 0 };
		return scan_skip(s, p, true);
	}
	const char *q =
		s->lenient ? scan_value(s, p + 1, true) : scan_string(s, p + 1);
	if (!q)
		return NULL;
	*text = (struct text_span){ p + 1, (uint32_t)(q - p - 1), s->escaped };
	return q + 1;
}

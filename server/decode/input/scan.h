/* scan.h - scans JSON text: values, strings, numbers as text */
#pragma once
#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Walks JSON text in memory, without trusting it.
 *
 * A pull scanner: each function takes a place and returns the place behind what
 * it read, or NULL if it could not read it, with scan.at set to the offending
 * byte. `at >= end` then means that the text ended too early, and that the same
 * call may succeed with more text.
 *
 * The text is followed by SCAN_PAD zero bytes, so that no function checks
 * bounds byte by byte and 64 bytes may be loaded from anywhere in it. Nothing
 * here recurses; depth is counted and bounded.
 *
 * A first pass is strict about strings (an unescaped control character ends
 * them). A `lenient` one takes a quote for the end of a string only if what
 * follows looks like it (scan_repair_string()), for files whose writer did not
 * escape quotes. */

enum { SCAN_PAD = 64, SCAN_DEPTH = 256 };

struct scan {
	const char *end;
	const char *at;
	bool lenient;
	bool escaped; /* the last string holds escapes or raw control bytes */
	bool quoted; /* a string since the start held an unescaped quote */
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

/* The first byte that is not white space; a NUL is not. */
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

/* What the common case below leaves over: escapes, control characters. */
const char *scan_string_rest(struct scan *s, const char *p);

/* From behind an opening quote to the closing one. */
static inline const char *scan_string(struct scan *s, const char *p)
{
	const char *q = scan_plain(p);
	s->escaped = false;
	return *q == '"' ? q : scan_string_rest(s, q);
}

/* The same for a value in an object or in a list, with patience if lenient. */
const char *scan_value(struct scan *s, const char *p, bool in_object);

/* From inside an object or a list to behind the bracket that closes it. */
const char *scan_close(struct scan *s, const char *p, bool in_object);

/* Behind the value at p of any type; NaN and the like pass as scalars. */
const char *scan_skip(struct scan *s, const char *p, bool in_object);

/* An object's fields, one by one:
 *
 *         for (p = scan_first(s, p, &end); p && !end; p = scan_next(s, p,
 * 	&end)) {
 *                 struct text_span key;
 *                 if ((p = scan_key(s, p, &key)) && … read the value at p …)
 *         }
 *
 * scan_first() enters the object at p, scan_next() passes the comma. At the end
 * of the object either sets `end` and returns the place behind the bracket. */
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

/* The string at p; anything else is skipped and gives an `at` of NULL. */
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

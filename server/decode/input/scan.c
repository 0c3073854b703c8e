/* scan.c - scans JSON text: values, strings, numbers as text */
#include "scan.h"

enum { REPAIR_STRING = 16 * 1024 }; /* the search in a string ends here */

/* Finds the likely end of strings that contain unescaped quotes. */

enum { REPAIR_KEY = 64, REPAIR_DEPTH = 63 };

/* Whether another key and its colon follow at p. */
static bool scan_repair_key_at(const char *p)
{
	if (*p != '"')
		return false;
	const char *q = scan_plain(p + 1);
	return *q == '"' && q - p <= REPAIR_KEY && *scan_ws(q + 1) == ':';
}

static bool scan_repair_value_at(const char *p)
{
	return *p && strchr("\"[{-0123456789tfnN", *p);
}

enum end { END_NOT, END_HERE, END_MISSED };

/* Whether a quote followed by `p` ends its string. A colon shows that the quote
 * belongs to the next key, so the end of the string itself was missed. */
static enum end scan_repair_end_at(const char *p, bool in_object)
{
	p = scan_ws(p);
	if (*p == ':')
		return END_MISSED;
	bool ends = *p == (in_object ? '}' : ']');
	if (*p == ',') {
		p = scan_ws(p + 1);
		ends = in_object ? scan_repair_key_at(p)
				 : scan_repair_value_at(p);
	}
	return ends ? END_HERE : END_NOT;
}

/* Like scan_string(), from p on, for a value in an object or a list. A quote
 * ends the string only if the closing bracket follows it, or a comma and a
 * possible next item. Keys are not repaired. */
static const char *scan_repair_string(struct scan *s, const char *p,
	bool in_object)
{
	const char *from = p;
	for (p = scan_plain(p); p < s->end; p = scan_plain(p)) {
		if (p - from > REPAIR_STRING)
			return scan_stop(s, p);
		if (*p != '"') {
			s->escaped = true;
			p += *p == '\\' ? 2 : 1;
			continue;
		}
		switch (scan_repair_end_at(p + 1, in_object)) {
		case END_HERE:
			return p;
		case END_MISSED:
			return scan_stop(s, p);
		default:
			s->quoted = true;
			p++;
		}
	}
	return scan_stop(s, s->end);
}

/* Reads a string at p. In an object it is a key unless a colon precedes it. */
static const char *scan_string_end(struct scan *s, const char *p,
	bool in_object, bool value)
{
	if (!in_object || value)
		return scan_repair_string(s, p, in_object);
	s->lenient = false;
	p = scan_string(s, p);
	s->lenient = true;
	return p;
}

/* Like scan_close(), for strings that contain unescaped quotes. */
static const char *scan_repair_close(struct scan *s, const char *p,
	bool in_object)
{
	uint64_t objects = in_object; /* a bit per open bracket */
	int depth = 1;
	bool value = false;
	for (; p < s->end; p++) {
		if (*p == '"') {
			p = scan_string_end(s, p + 1, objects & 1, value);
			if (!p)
				return NULL;
		} else if (*p == '{' || *p == '[') {
			if (++depth > REPAIR_DEPTH)
				return scan_stop(s, p);
			objects = objects << 1 | (*p == '{');
		} else if (*p == '}' || *p == ']') {
			if (--depth == 0)
				return p + 1;
			objects >>= 1;
		}
		if ((unsigned char)*p > ' ')
			value = *p == ':';
	}
	return scan_stop(s, s->end);
}

const char *scan_string_rest(struct scan *s, const char *p)
{
	while (*p == '\\') {
		s->escaped = true;
		if (p + 1 >= s->end)
			return scan_stop(s, s->end);
		p = scan_plain(p + 2);
	}
	return *p == '"' && p < s->end ? p : scan_stop(s, p);
}

const char *scan_value(struct scan *s, const char *p, bool in_object)
{
	s->escaped = false;
	return s->lenient ? scan_repair_string(s, p, in_object)
			  : scan_string(s, p);
}

/* Like scan_close(), in a loop over bytes, for backslashes and for the end of
 * the text. Stops at `until` or when all brackets are closed. */
static const char *scan_close_slow(struct scan *s, const char *p,
	const char *until, bool *in_string, int *depth)
{
	for (; p < until; p++) {
		if (*in_string) {
			if (*p == '\\')
				p++;
			else if (*p == '"')
				*in_string = false;
			else if ((unsigned char)*p < 0x20)
				return scan_stop(s, p);
			continue;
		}
		char c = (char)(*p | 0x20);
		if (*p == '"')
			*in_string = true;
		else if (c == '{' && ++*depth > SCAN_DEPTH)
			return scan_stop(s, p);
		else if (c == '}' && --*depth == 0)
			return p + 1;
	}
	return p;
}

#ifdef __SSE2__
/* 64 bytes at once: for each kind of byte that is searched, one bit per
 * byte. */
struct block {
	uint64_t quote, back, open, close, control;
};

static inline struct block scan_block_at(const char *p)
{
	struct block b = { 0 };
	for (int i = 0; i < 64; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i));
		__m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
#define BITS(is) ((uint64_t)(unsigned)_mm_movemask_epi8(is) << i)
		b.quote |= BITS(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
		b.back |= BITS(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
		b.open |= BITS(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')));
		b.close |= BITS(_mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
		b.control |= BITS(
			_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)),
				v));
#undef BITS
	}
	return b;
}

/* Bit i is the parity of bits 0 to i, so it shows whether byte i is
 * between quotes. */
static inline uint64_t scan_parity(uint64_t x)
{
	x ^= x << 1;
	x ^= x << 2;
	x ^= x << 4;
	x ^= x << 8;
	x ^= x << 16;
	return x ^ x << 32;
}

/* Counts the brackets of a block. If all are closed, returns the position after
 * the last one. */
static inline const char *scan_follow(const char *p, uint64_t open,
	uint64_t close, int *depth)
{
	for (uint64_t all = open | close; all; all &= all - 1) {
		*depth += open & all & -all ? 1 : -1;
		if (*depth == 0)
			return p + __builtin_ctzll(all) + 1;
	}
	return NULL;
}

const char *scan_close(struct scan *s, const char *p, bool in_object)
{
	bool in_string = false;
	int depth = 1;
	if (s->lenient)
		return scan_repair_close(s, p, in_object);
	while (s->end - p >= 64) {
		struct block b = scan_block_at(p);
		if (b.back) {
			const char *q = scan_close_slow(s, p, p + 64,
				&in_string, &depth);
			if (!q || !depth)
				return q;
			p = q;
			continue;
		}
		uint64_t in = scan_parity(b.quote) ^ (0 - (uint64_t)in_string);
		const char *end =
			scan_follow(p, b.open & ~in, b.close & ~in, &depth);
		if (end)
			return end;
		if (b.control & in)
			return scan_stop(s,
				p + __builtin_ctzll(b.control & in));
		if (depth > SCAN_DEPTH)
			return scan_stop(s, p);
		in_string = in >> 63;
		p += 64;
	}
	p = scan_close_slow(s, p, s->end, &in_string, &depth);
	return p && depth ? scan_stop(s, s->end) : p;
}
#else
const char *scan_close(struct scan *s, const char *p, bool in_object)
{
	bool in_string = false;
	int depth = 1;
	if (s->lenient)
		return scan_repair_close(s, p, in_object);
	p = close_slow(s, p, s->end, &in_string, &depth);
	return p && depth ? scan_stop(s, s->end) : p;
}
#endif

const char *scan_skip(struct scan *s, const char *p, bool in_object)
{
	if (*p == '"') {
		const char *q = scan_value(s, p + 1, in_object);
		return q ? q + 1 : NULL;
	}
	if (*p == '{' || *p == '[') {
		if (*p == '[' && p[1] == ']')
			return p + 2;
		return scan_close(s, p + 1, *p == '{');
	}
	const char *from = p;
	while ((unsigned char)*p > ' ' && *p != ',' && *p != '}' && *p != ']')
		p++;
	return p > from ? p : scan_stop(s, p);
}

const char *scan_fields(struct scan *s, const char *p, scan_field_fn *field,
	void *to)
{
	bool end;
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct text_span key;
		p = scan_key(s, p, &key);
		p = p ? field(s, p, &key, to) : NULL;
	}
	return p;
}

/* scan.c - what of the scanner is not worth inlining. */
#include "scan.h"
#include "repair.h"

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
	return s->lenient ? repair_string(s, p, in_object) : scan_string(s, p);
}

/* The same as a loop over bytes, for what the fast one cannot do: backslashes
 * and the end of the text. Stops at `until` or where all is closed. */
static const char *close_slow(struct scan *s, const char *p, const char *until,
	bool *in_string, int *depth)
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
/* 64 bytes at once: a bit per byte for each kind that matters. */
struct block {
	uint64_t quote, back, open, close, control;
};

static inline struct block block_at(const char *p)
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

/* Bit i is the parity of bits 0 to i: between which quotes a byte lies. */
static inline uint64_t parity(uint64_t x)
{
	x ^= x << 1;
	x ^= x << 2;
	x ^= x << 4;
	x ^= x << 8;
	x ^= x << 16;
	return x ^ x << 32;
}

/* Follows the brackets of a block; where all is closed, the place behind. */
static inline const char *follow(const char *p, uint64_t open, uint64_t close,
	int *depth)
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
		return repair_close(s, p, in_object);
	while (s->end - p >= 64) {
		struct block b = block_at(p);
		if (b.back) {
			const char *q =
				close_slow(s, p, p + 64, &in_string, &depth);
			if (!q || !depth)
				return q;
			p = q;
			continue;
		}
		uint64_t in = parity(b.quote) ^ (0 - (uint64_t)in_string);
		const char *end =
			follow(p, b.open & ~in, b.close & ~in, &depth);
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
	p = close_slow(s, p, s->end, &in_string, &depth);
	return p && depth ? scan_stop(s, s->end) : p;
}
#else
const char *scan_close(struct scan *s, const char *p, bool in_object)
{
	bool in_string = false;
	int depth = 1;
	if (s->lenient)
		return repair_close(s, p, in_object);
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

/* walk.c - scans the events of a well-formed trace, 16 bytes per step. */
#include "walk.h"
#include <emmintrin.h>
#include <stdbool.h>
#include <string.h>

static inline unsigned equal(__m128i v, char c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
}

static inline __m128i load(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* From inside a string to its closing quote. */
static inline const char *string_end(const char *p)
{
	for (;;) {
		__m128i v = load(p);
		unsigned hit = equal(v, '"') | equal(v, '\\');
		if (!hit) {
			p += 16;
			continue;
		}
		p += __builtin_ctz(hit);
		if (*p == '"')
			return p;
		p += 2;
	}
}

/* To the next character other than white space, comma or colon. */
static inline const char *token(const char *p)
{
	const uint64_t between = UINT64_C(1) << ' ' | UINT64_C(1) << ',' |
				 UINT64_C(1) << ':' | 1 << '\n' | 1 << '\t' |
				 1 << '\r';
	while ((unsigned char)*p < 64 && between >> *p & 1)
		p++;
	return p;
}

/* From an opening bracket to the position after its closing one. */
static const char *skip_nested(const char *p)
{
	int depth = 0;
	for (;;) {
		__m128i v = load(p);
		/* [ and { differ by this bit, as do ] and } */
		__m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
		unsigned opens = equal(folded, '{');
		unsigned hit = opens | equal(folded, '}') | equal(v, '"');
		const char *from = p;
		p += 16;
		for (; hit; hit &= hit - 1) {
			int i = __builtin_ctz(hit);
			if (from[i] == '"') {
				p = string_end(from + i + 1) + 1;
				break;
			}
			depth += opens >> i & 1 ? 1 : -1;
			if (!depth)
				return from + i + 1;
		}
	}
}

static inline const char *skip(const char *p)
{
	if (*p == '"')
		return string_end(p + 1) + 1;
	if (*p == '{' || *p == '[')
		return skip_nested(p);
	while (*p != ',' && *p != '\n' && (*p | 0x20) != '}')
		p++;
	return p;
}

static inline bool digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Converts a number of microseconds to nanoseconds; finer digits are ignored. */
static inline const char *time_ns(const char *p, int64_t *out)
{
	bool negative = *p == '-';
	int64_t ns = 0, unit = 100;
	p += negative;
	while (digit(*p))
		ns = ns * 10 + (*p++ - '0');
	ns *= 1000;
	if (*p == '.') {
		for (p++; digit(*p); p++, unit /= 10)
			ns += unit * (*p - '0');
	}
	*out = negative ? -ns : ns;
	return p;
}

static inline uint64_t hash(const char *s, size_t n)
{
	uint64_t h = n * UINT64_C(0x9E3779B97F4A7C15), w;
	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * UINT64_C(0xD6E8FEB86659FD93);
		h ^= h >> 32;
	}
	memcpy(&w, s, 8); /* also reads what follows, and discards it */
	w &= (UINT64_C(1) << 8 * n) - 1;
	return (h ^ w) * UINT64_C(0xD6E8FEB86659FD93);
}

static inline const char *args(const char *p, struct walk *out)
{
	for (p = token(p + 1); *p != '}'; p = token(p)) {
		const char *key = p + 1, *end = string_end(key);
		p = token(end + 1);
		if (end - key == 11 && !memcmp(key, "correlation", 11)) {
			int64_t n;
			p = time_ns(p, &n);
			out->correlations += n;
		} else {
			p = skip(p);
		}
	}
	return p + 1;
}

static inline const char *event(const char *p, struct walk *out)
{
	int64_t ts = 0, dur = 0;
	bool kernel = false;
	for (p = token(p + 1); *p != '}'; p = token(p)) {
		const char *key = p + 1, *end = string_end(key);
		long n = end - key;
		p = token(end + 1);
		if (n == 2 && !memcmp(key, "ts", 2)) {
			p = time_ns(p + (*p == '"'), &ts);
		} else if (n == 3 && !memcmp(key, "dur", 3)) {
			p = time_ns(p + (*p == '"'), &dur);
		} else if (n == 3 && !memcmp(key, "cat", 3)) {
			end = string_end(p + 1);
			kernel = end - p == 7 && !memcmp(p + 1, "kernel", 6);
			p = end + 1;
		} else if (n == 4 && !memcmp(key, "name", 4)) {
			end = string_end(p + 1);
			out->names += hash(p + 1, (size_t)(end - p - 1));
			p = end + 1;
		} else if (n == 4 && !memcmp(key, "args", 4) && *p == '{') {
			p = args(p, out);
		} else {
			p = skip(p);
		}
	}
	out->events++;
	if (kernel) {
		out->kernels++;
		out->kernel_ns += dur;
	}
	return p + 1;
}

void walk(const char *text, struct walk *out)
{
	struct walk all = { 0 };
	const char *list = strstr(text, "\"traceEvents\"");
	const char *p = strchr(list ? list : text, '[');
	for (p = p ? token(p + 1) : ""; *p == '{'; p = token(p))
		p = event(p, &all);
	*out = all;
}

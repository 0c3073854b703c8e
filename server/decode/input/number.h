/* number.h - numbers of a trace, from their digits.
 *
 * Traces give microseconds with decimals, "1606910596288053.123", which a
 * double cannot hold: nanoseconds are taken from the digits. Decimals, an
 * exponent and quotes around the number are read; what lies below the unit is
 * rounded half away from zero (0.0005 us is 1 ns). */
#pragma once
#include "scan.h"

enum num_kind {
	NUM_NONE, /* absent, or not a number: null, NaN, text, a list */
	NUM_OK,
	NUM_HUGE, /* beyond 9.2e18 */
};

struct num {
	int64_t value;
	enum num_kind kind;
};

/* The number at p times 10 to `scale` (0 to 9). Behind it, or behind whatever
 * value stands there instead. */
const char *num_any(struct scan *s, const char *p, int scale, struct num *n);

static inline bool num_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Whether a number may end before c. */
static inline bool num_end(char c)
{
	return c == ',' || c == '}' || c == ']' || (unsigned char)c <= ' ';
}

/* Eight digits at p, or -1. */
static inline int64_t num_eight(const char *p)
{
	uint64_t w;
	memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t over = w + 0x4646464646464646u;
	uint64_t low = w - 0x3030303030303030u;
	if ((over | low) & 0x8080808080808080u)
		return -1;
	low = low * 10 + (low >> 8);
	uint64_t even = (low & 0x000000FF000000FFu) * 0x000F424000000064u;
	uint64_t odd = (low >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u;
	return (int64_t)((even + odd) >> 32);
#else
	int64_t v = 0;
	for (int i = 0; i < 8; i++) {
		if (!num_digit(p[i]))
			return -1;
		v = v * 10 + (p[i] - '0');
	}
	return v;
#endif
}

/* A whole number, the common case inline. */
static inline const char *num_int(struct scan *s, const char *p, struct num *n)
{
	const char *q = p + (*p == '-');
	const char *first = q;
	int64_t v = 0;
	while (num_digit(*q) && q - first < 18)
		v = v * 10 + (*q++ - '0');
	if (q == first || !num_end(*q))
		return num_any(s, p, 0, n);
	*n = (struct num){ *p == '-' ? -v : v, NUM_OK };
	return q;
}

/* Microseconds as nanoseconds, the common case inline. */
static inline const char *num_ns(struct scan *s, const char *p, struct num *n)
{
	const char *q = p;
	int64_t v = num_eight(q);
	if (v < 0)
		v = 0;
	else
		q += 8;
	while (num_digit(*q) && q - p < 16)
		v = v * 10 + (*q++ - '0');
	if (q == p || v > INT64_MAX / 1000 - 1)
		return num_any(s, p, 3, n);
	v *= 1000;
	if (*q == '.' && num_digit(q[1])) {
		v += 100 * (*++q - '0');
		if (num_digit(*++q))
			v += 10 * (*q++ - '0');
		if (num_digit(*q))
			v += *q++ - '0';
	}
	if (!num_end(*q))
		return num_any(s, p, 3, n);
	*n = (struct num){ v, NUM_OK };
	return q;
}

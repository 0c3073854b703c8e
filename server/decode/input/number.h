/* number.h - reads numbers of a trace from their digits.
 *
 * Traces give microseconds with decimals, such as "1606910596288053.123". A
 * double cannot represent such a number exactly, so nanoseconds are computed
 * from the digits. A number may have decimals, an exponent and quotes around
 * it. Digits below the unit are rounded half away from zero (0.0005 us is 1
 * ns). */
#pragma once
#include "scan.h"

enum number_kind {
	NUMBER_NONE, /* absent, or not a number: null, NaN, text, a list */
	NUMBER_OK,
	NUMBER_HUGE, /* beyond 9.2e18 */
};

struct number {
	int64_t value;
	enum number_kind kind;
};

/* Reads the number at p, multiplied by 10 to the power of `scale` (0 to 9).
 * Returns the position after it, or after any other value at p. */
const char *number_any(struct scan *s, const char *p, int scale,
	struct number *n);

static inline bool number_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Whether a number may end before the character c. */
static inline bool number_end(char c)
{
	return c == ',' || c == '}' || c == ']' || (unsigned char)c <= ' ';
}

/* Returns the value of the eight digits at p, or -1. */
static inline int64_t number_eight(const char *p)
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
		if (!number_digit(p[i]))
			return -1;
		v = v * 10 + (p[i] - '0');
	}
	return v;
#endif
}

/* Reads a whole number; the common case is inline. */
static inline const char *number_int(struct scan *s, const char *p,
	struct number *n)
{
	const char *q = p + (*p == '-');
	const char *first = q;
	int64_t v = 0;
	while (number_digit(*q) && q - first < 18)
		v = v * 10 + (*q++ - '0');
	if (q == first || !number_end(*q))
		return number_any(s, p, 0, n);
	*n = (struct number){ *p == '-' ? -v : v, NUMBER_OK };
	return q;
}

/* Reads microseconds as nanoseconds; the common case is inline. */
static inline const char *number_ns(struct scan *s, const char *p,
	struct number *n)
{
	const char *q = p;
	int64_t v = number_eight(q);
	if (v < 0)
		v = 0;
	else
		q += 8;
	while (number_digit(*q) && q - p < 16)
		v = v * 10 + (*q++ - '0');
	if (q == p || v > INT64_MAX / 1000 - 1)
		return number_any(s, p, 3, n);
	v *= 1000;
	if (*q == '.' && number_digit(q[1])) {
		v += 100 * (*++q - '0');
		if (number_digit(*++q))
			v += 10 * (*q++ - '0');
		if (number_digit(*q))
			v += *q++ - '0';
	}
	if (!number_end(*q))
		return number_any(s, p, 3, n);
	*n = (struct number){ v, NUMBER_OK };
	return q;
}

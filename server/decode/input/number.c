/* number.c - reads any JSON number as a multiple of a power of ten */
#include "number.h"

enum { DIGITS = 19, EXPONENT_MAX = 9999 };

struct decimal {
	uint64_t digits; /* the first DIGITS significant ones */
	int exponent; /* of ten, for `digits` as a whole number */
	bool up; /* the next digit is 5 or more */
	bool negative;
};

static const char *number_digits(const char *p, struct decimal *d, int *kept,
	int each)
{
	for (; number_digit(*p); p++) {
		if (*kept < DIGITS) {
			d->digits = d->digits * 10 + (uint64_t)(*p - '0');
			*kept += d->digits > 0;
			d->exponent -= each;
			continue;
		}
		if (*kept == DIGITS)
			d->up = *p >= '5';
		*kept = DIGITS + 1;
		if (d->exponent < EXPONENT_MAX)
			d->exponent += 1 - each;
	}
	return p;
}

static const char *number_exponent(const char *p, struct decimal *d)
{
	if ((*p | 0x20) != 'e')
		return p;
	const char *q = p + 1;
	bool negative = *q == '-';
	q += *q == '-' || *q == '+';
	if (!number_digit(*q))
		return p;
	int e = 0;
	for (; number_digit(*q); q++)
		e = e < EXPONENT_MAX ? e * 10 + (*q - '0') : e;
	d->exponent += negative ? -e : e;
	return q;
}

/* The decimal number at p, or NULL if there is none. */
static const char *number_decimal(const char *p, struct decimal *d)
{
	int kept = 0;
	*d = (struct decimal){ .negative = *p == '-' };
	p += *p == '-' || *p == '+';
	const char *whole = number_digits(p, d, &kept, 0);
	if (whole == p)
		return NULL;
	p = whole;
	if (*p == '.')
		p = number_digits(p + 1, d, &kept, 1);
	return number_exponent(p, d);
}

static struct number number_scaled(const struct decimal *d, int scale)
{
	uint64_t v = d->digits, power = 1;
	int by = d->exponent + scale;
	if (by < -DIGITS)
		return (struct number){ 0, NUMBER_OK };
	for (; by < 0; by++)
		power *= 10;
	uint64_t left = v % power;
	v = v / power + (power > 1 ? left >= power - left : d->up);
	for (; by > 0 && v > 0; by--)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v))
			return (struct number){ 0, NUMBER_HUGE };
	if (v > INT64_MAX)
		return (struct number){ 0, NUMBER_HUGE };
	return (struct number){ d->negative ? -(int64_t)v : (int64_t)v,
		NUMBER_OK };
}

const char *number_any(struct scan *s, const char *p, int scale,
	struct number *n)
{
	struct decimal d;
	bool text = *p == '"';
	const char *q = number_decimal(p + text, &d);
	*n = (struct number){ 0, NUMBER_NONE };
	if (q && (text ? *q == '"' : number_end(*q))) {
		*n = number_scaled(&d, scale);
		return q + text;
	}
	return scan_skip(s, p, true);
}

/* figure.c - reads a printed quantity: digits, groups, point, exponent, unit */
#include "figure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPONENT_MAX = 400 };

static bool figure_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of the white space at s: blanks, the no-break space, and the
 * narrow no-break space that printers write before units. */
static size_t figure_space(const char *s, const char *end)
{
	static const char *const spaces[] = { " ", "\t", "\xC2\xA0",
		"\xE2\x80\xAF", "\xE2\x80\x89" };
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		size_t n = strlen(spaces[i]);
		if ((size_t)(end - s) >= n && !memcmp(s, spaces[i], n))
			return n;
	}
	return 0;
}

static const char *figure_behind_space(const char *s, const char *end)
{
	for (size_t n; (n = figure_space(s, end));)
		s += n;
	return s;
}

static bool figure_digit_add(struct figure *f, char c)
{
	return !__builtin_mul_overflow(f->digits, UINT64_C(10), &f->digits) &&
	       !__builtin_add_overflow(f->digits, (uint64_t)(c - '0'),
		       &f->digits);
}

/* Reads whole digits, with or without groups of three. NULL if there are
 * none. */
static const char *figure_whole_part(const char *s, const char *end,
	struct figure *f)
{
	const char *group = s;
	bool grouped = false;
	for (; s < end && (figure_digit(*s) || *s == ','); s++) {
		if (figure_digit(*s)) {
			if (!figure_digit_add(f, *s))
				return NULL;
			continue;
		}
		size_t n = (size_t)(s - group);
		if (n == 0 || n > 3 || (grouped && n != 3))
			return NULL;
		grouped = true;
		group = s + 1;
	}
	size_t last = (size_t)(s - group);
	return last == 0 || (grouped && last != 3) ? NULL : s;
}

/* Reads decimals. Those beyond 64 bits are too small to change the
 * result. */
static const char *figure_decimals(const char *s, const char *end,
	struct figure *f)
{
	const char *first = s;
	for (; s < end && figure_digit(*s); s++) {
		if (f->digits > UINT64_MAX / 10 - 1 ||
			f->exponent <= -EXPONENT_MAX)
			continue;
		f->digits = f->digits * 10 + (uint64_t)(*s - '0');
		f->exponent--;
	}
	return s == first ? NULL : s;
}

static const char *figure_exponent_at(const char *s, const char *end,
	struct figure *f)
{
	bool negative = s < end && *s == '-';
	s += s < end && (*s == '-' || *s == '+');
	const char *first = s;
	int e = 0;
	for (; s < end && figure_digit(*s); s++)
		e = e > EXPONENT_MAX ? e : e * 10 + (*s - '0');
	f->exponent += negative ? -e : e;
	return s == first || e > EXPONENT_MAX ? NULL : s;
}

bool figure_unit(const char *s, size_t len, enum figure_unit *unit)
{
	static const struct {
		const char *text;
		enum figure_unit unit;
	} known[] = {
		{ "", FIGURE_PLAIN },
		{ "%", FIGURE_PERCENT },
		{ "ns", FIGURE_NS },
		{ "nsec", FIGURE_NS },
		{ "us", FIGURE_US },
		{ "usec", FIGURE_US },
		{ "\xC2\xB5s", FIGURE_US }, /* micro sign */
		{ "\xCE\xBCs", FIGURE_US }, /* Greek mu */
		{ "ms", FIGURE_MS },
		{ "msec", FIGURE_MS },
		{ "s", FIGURE_S },
		{ "sec", FIGURE_S },
	};
	const char *end = s + len;
	s = figure_behind_space(s, end);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	len = (size_t)(end - s);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].text) == len &&
			!memcmp(known[i].text, s, len)) {
			*unit = known[i].unit;
			return true;
		}
	return false;
}

bool figure_read(const char *s, size_t len, struct figure *f)
{
	const char *end = s + len;
	*f = (struct figure){ 0 };
	s = figure_whole_part(figure_behind_space(s, end), end, f);
	if (s && s < end && *s == '.')
		s = figure_decimals(s + 1, end, f);
	if (s && s < end && (*s == 'e' || *s == 'E'))
		s = figure_exponent_at(s + 1, end, f);
	return s && figure_unit(s, (size_t)(end - s), &f->unit);
}

int figure_ns_power(enum figure_unit unit)
{
	return unit == FIGURE_US   ? 3
	       : unit == FIGURE_MS ? 6
	       : unit == FIGURE_S  ? 9
				   : 0;
}

bool figure_whole(const struct figure *f, int power, int64_t *value)
{
	uint64_t v = f->digits, by = 1;
	int e = f->exponent + power;
	if (e < -19 || v == 0) {
		*value = 0;
		return true;
	}
	for (; e > 0; e--)
		if (__builtin_mul_overflow(v, UINT64_C(10), &v))
			return false;
	for (; e < 0; e++)
		by *= 10;
	uint64_t left = v % by;
	v = v / by + (by > 1 && left >= by - left);
	if (v > INT64_MAX)
		return false;
	*value = (int64_t)v;
	return true;
}

double figure_real(const struct figure *f, int power)
{
	static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	enum { TENS = sizeof tens / sizeof *tens };
	int e = f->exponent + power;
	/* Both numbers are exact doubles, so that one operation rounds only
	 * once. */
	if (f->digits < UINT64_C(1) << 53 && e > -TENS && e < TENS)
		return e < 0 ? (double)f->digits / tens[-e]
			     : (double)f->digits * tens[e];
	char text[40];
	snprintf(text, sizeof text, "%llue%d", (unsigned long long)f->digits,
		e);
	return strtod(text, NULL);
}

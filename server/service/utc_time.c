/* utc_time.c - parses and formats times without strptime(), which accepts too
 * much. */
#include "utc_time.h"
#include <stddef.h>

/* Reads exactly `digits` digits at *s and moves *s past them. */
static bool utc_time_number(const char **s, int digits, int min, int most,
	int *out)
{
	*out = 0;
	for (int i = 0; i < digits; i++, (*s)++) {
		if (**s < '0' || **s > '9')
			return false;
		*out = *out * 10 + (**s - '0');
	}
	return *out >= min && *out <= most;
}

static bool utc_time_skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

static int64_t utc_time_fraction_us(const char **s)
{
	int64_t us = 0;
	for (int64_t unit = 100000; **s >= '0' && **s <= '9'; (*s)++) {
		us += unit * (**s - '0');
		unit /= 10;
	}
	return us;
}

/* Reads the text after the time: nothing, Z, or an offset in minutes. */
static bool utc_time_zone(const char *s, int *minutes)
{
	int sign = *s == '-' ? -1 : 1, hours = 0, rest = 0;
	*minutes = 0;
	if (!*s || (s[0] == 'Z' && !s[1]))
		return true;
	if (!utc_time_skip(&s, '+') && !utc_time_skip(&s, '-') &&
		!utc_time_skip(&s, ' '))
		return false;
	if (!utc_time_number(&s, 2, 0, 14, &hours))
		return false;
	utc_time_skip(&s, ':');
	if (!utc_time_number(&s, 2, 0, 59, &rest) || *s)
		return false;
	*minutes = sign * (hours * 60 + rest);
	return true;
}

bool utc_time_parse(const char *text, int64_t *us)
{
	struct tm tm = { 0 };
	int year, month, minutes = 0;
	int64_t fraction = 0;
	const char *s = text;
	if (!utc_time_number(&s, 4, 1, 9999, &year) ||
		!utc_time_skip(&s, '-') ||
		!utc_time_number(&s, 2, 1, 12, &month) ||
		!utc_time_skip(&s, '-') ||
		!utc_time_number(&s, 2, 1, 31, &tm.tm_mday))
		return false;
	if (*s && *s != 'Z') {
		if ((!utc_time_skip(&s, 'T') && !utc_time_skip(&s, ' ')) ||
			!utc_time_number(&s, 2, 0, 23, &tm.tm_hour) ||
			!utc_time_skip(&s, ':') ||
			!utc_time_number(&s, 2, 0, 59, &tm.tm_min))
			return false;
		if (utc_time_skip(&s, ':') &&
			!utc_time_number(&s, 2, 0, 60, &tm.tm_sec))
			return false;
		if (utc_time_skip(&s, '.'))
			fraction = utc_time_fraction_us(&s);
	}
	if (!utc_time_zone(s, &minutes))
		return false;
	int day = tm.tm_mday;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	int64_t seconds = timegm(&tm);
	*us = (seconds - (int64_t)minutes * 60) * 1000000 + fraction;
	return tm.tm_mday == day; /* rejects the 31st of June */
}

void utc_time_format(int64_t us, char out[UTC_TIME_TEXT])
{
	int64_t rest = us % 1000000;
	if (rest < 0)
		rest += 1000000;
	time_t seconds = (time_t)((us - rest) / 1000000);
	struct tm tm = { 0 };
	gmtime_r(&seconds, &tm);
	snprintf(out, UTC_TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
		tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		tm.tm_min, tm.tm_sec, (int)rest);
}

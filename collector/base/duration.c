/* duration.c - converts "250ms" or "10m" to nanoseconds. */
#include "options.h"
#include <string.h>

static const struct {
	const char *text;
	int64_t ns;
} units[] = { { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 },
	{ "h", 3600000000000 } };

/* Reads the unit at `at`. No letter may follow it. */
static int64_t duration_unit_ns(const char *at, const char **end)
{
	size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz");

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (strlen(units[i].text) != len ||
			strncmp(units[i].text, at, len))
			continue;
		*end = at + len;
		return units[i].ns;
	}
	return -1;
}

int64_t duration_ns(const char *text, const char **end)
{
	const char *at = text;
	const char *rest;
	int64_t n = 0;
	int64_t ns;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (n > INT64_MAX / 10 - 1)
			return -1;
		n = n * 10 + (*at - '0');
	}
	ns = at > text ? duration_unit_ns(at, &rest) : -1;
	/* No window is longer than a year. The sum of two years does not
	 * overflow. */
	if (ns < 0 || n <= 0 || n > 365 * 24 * INT64_C(3600000000000) / ns)
		return -1;
	if (end)
		*end = rest;
	else if (*rest)
		return -1;
	return n * ns;
}

/* figures.h - reads numbers in the texts of /proc. */
#pragma once
#include <stdint.h>
#include <stddef.h>
#include <string.h>

/* Reads a whole number after blanks. Returns the address after it, or NULL if
 * there is no number. */
static inline const char *figure(const char *p, uint64_t *value)
{
	if (!p)
		return NULL;
	while (*p == ' ' || *p == '\t')
		p++;
	if (*p < '0' || *p > '9')
		return NULL;
	for (*value = 0; *p >= '0' && *p <= '9'; p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	return p;
}

/* Returns the address after `n` words, or NULL if the line ends before. */
static inline const char *figure_skip(const char *p, int n)
{
	while (p && n-- > 0) {
		p += strspn(p, " \t");
		size_t len = strcspn(p, " \t\n");
		p = len ? p + len : NULL;
	}
	return p;
}

/* Returns the address after the line's end, or NULL at the end of the text. */
static inline const char *figure_line(const char *p)
{
	p = strchr(p, '\n');
	return p && p[1] ? p + 1 : NULL;
}

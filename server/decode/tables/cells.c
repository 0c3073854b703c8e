/* cells.c - splits by separators or by places. */
#include "cells.h"
#include <string.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

struct cell cell_trim(char *at, size_t len)
{
	while (len && blank(*at)) {
		at++;
		len--;
	}
	while (len && blank(at[len - 1]))
		len--;
	return (struct cell){ at, len };
}

/* Behind the quote that closes the cell at p, which is behind the one that
 * opens it; NULL where none does. */
static char *closed(char *p, const char *end)
{
	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		p++;
		if (p == end || *p != '"')
			return p;
		p++;
	}
	return NULL;
}

/* The cell that begins at p; behind it, at the separator or the end. */
static char *take(struct cells *c, char *p, char *end, char separator)
{
	char *start = p;
	while (p < end && *p == ' ')
		p++;
	char *behind = p < end && *p == '"' ? closed(p + 1, end) : NULL;
	c->broken |= p < end && *p == '"' && !behind;
	char *stop = memchr(behind ? behind : start, separator,
		(size_t)(end - (behind ? behind : start)));
	stop = stop ? stop : end;
	if (behind && cell_trim(behind, (size_t)(stop - behind)).len)
		c->broken = true;
	if (c->n < CELLS_MAX)
		c->list[c->n] = cell_trim(start, (size_t)(stop - start));
	c->n++;
	return stop;
}

static void unquote(struct cell *c)
{
	if (c->len < 2 || *c->at != '"' || c->at[c->len - 1] != '"')
		return;
	char *to = ++c->at, *start = to;
	for (char *from = to, *end = to + c->len - 2; from < end; from++) {
		*to++ = *from;
		from += *from == '"';
	}
	*c = cell_trim(start, (size_t)(to - start));
}

void cells_split(struct cells *c, char *at, size_t len, char separator,
	size_t want)
{
	char *end = at + len;
	c->n = 0;
	c->broken = false;
	at = take(c, at, end, separator);
	while (at < end)
		at = take(c, at + 1, end, separator);
	if (c->broken || (want && c->n != want))
		return;
	for (size_t i = 0; i < c->n && i < CELLS_MAX; i++)
		unquote(&c->list[i]);
}

/* Whether only blanks lie in [from, to). */
static bool gap(const char *at, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!blank(at[from]))
			return false;
	return true;
}

void cells_cut(struct cells *c, char *at, size_t len,
	const struct extent *columns, size_t n)
{
	size_t before = 0;
	c->n = 0;
	c->broken = n == 0 || len <= columns[n - 1].from;
	for (size_t i = 0; !c->broken && i < n; i++) {
		size_t from = columns[i].from;
		size_t to = i + 1 < n ? columns[i].to : len;
		c->broken = !gap(at, before, from);
		c->list[c->n++] = cell_trim(at + from, to - from);
		before = to;
	}
}

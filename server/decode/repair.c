/* repair.c - finds the likely end of strings that hold unescaped quotes. */
#include "repair.h"

enum { REPAIR_KEY = 64, REPAIR_DEPTH = 63 };

/* Whether another key and its colon stand at p. */
static bool key_at(const char *p)
{
	if (*p != '"')
		return false;
	const char *q = scan_plain(p + 1);
	return *q == '"' && q - p <= REPAIR_KEY && *scan_ws(q + 1) == ':';
}

static bool value_at(const char *p)
{
	return *p && strchr("\"[{-0123456789tfnN", *p);
}

enum end { END_NOT, END_HERE, END_MISSED };

/* What a quote with `p` behind it is to its string. A colon shows that it
 * belongs to the next key: the string's own end was missed. */
static enum end end_at(const char *p, bool in_object)
{
	p = scan_ws(p);
	if (*p == ':')
		return END_MISSED;
	bool ends = *p == (in_object ? '}' : ']');
	if (*p == ',') {
		p = scan_ws(p + 1);
		ends = in_object ? key_at(p) : value_at(p);
	}
	return ends ? END_HERE : END_NOT;
}

const char *repair_string(struct scan *s, const char *p, bool in_object)
{
	const char *from = p;
	for (p = scan_plain(p); p < s->end; p = scan_plain(p)) {
		if (p - from > REPAIR_STRING)
			return scan_stop(s, p);
		if (*p != '"') {
			s->escaped = true;
			p += *p == '\\' ? 2 : 1;
			continue;
		}
		switch (end_at(p + 1, in_object)) {
		case END_HERE:
			return p;
		case END_MISSED:
			return scan_stop(s, p);
		default:
			s->quoted = true;
			p++;
		}
	}
	return scan_stop(s, s->end);
}

/* A string at p: a key if what stands before it in an object is not a colon. */
static const char *string(struct scan *s, const char *p, bool in_object,
	bool value)
{
	if (!in_object || value)
		return repair_string(s, p, in_object);
	s->lenient = false;
	p = scan_string(s, p);
	s->lenient = true;
	return p;
}

const char *repair_close(struct scan *s, const char *p, bool in_object)
{
	uint64_t objects = in_object; /* a bit per open bracket */
	int depth = 1;
	bool value = false;
	for (; p < s->end; p++) {
		if (*p == '"') {
			p = string(s, p + 1, objects & 1, value);
			if (!p)
				return NULL;
		} else if (*p == '{' || *p == '[') {
			if (++depth > REPAIR_DEPTH)
				return scan_stop(s, p);
			objects = objects << 1 | (*p == '{');
		} else if (*p == '}' || *p == ']') {
			if (--depth == 0)
				return p + 1;
			objects >>= 1;
		}
		if ((unsigned char)*p > ' ')
			value = *p == ':';
	}
	return scan_stop(s, s->end);
}

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

/* Whether a quote with `p` behind it ends its string. */
static bool ends(const char *p, bool in_object)
{
	p = scan_ws(p);
	if (*p == ',') {
		p = scan_ws(p + 1);
		return in_object ? key_at(p) : value_at(p);
	}
	return in_object ? *p == '}' || *p == ':' : *p == ']';
}

const char *repair_string(struct scan *s, const char *p, bool in_object)
{
	const char *from = p;
	for (p = scan_plain(p); p < s->end; p = scan_plain(p)) {
		if (p - from > REPAIR_STRING)
			return scan_stop(s, p);
		if (*p == '"') {
			if (ends(p + 1, in_object))
				return p;
			s->quoted = true;
			p++;
			continue;
		}
		s->escaped = true;
		p += *p == '\\' ? 2 : 1;
	}
	return scan_stop(s, s->end);
}

const char *repair_close(struct scan *s, const char *p, bool in_object)
{
	uint64_t objects = in_object; /* a bit per open bracket */
	int depth = 1;
	for (; p < s->end; p++) {
		if (*p == '"') {
			p = repair_string(s, p + 1, objects & 1);
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
	}
	return scan_stop(s, s->end);
}

/* fields.c - the loops over fields, objects and strings. */
#include "fields.h"

const char *fields_read(const struct fields *f, struct scan *s, const char *p,
	void *to)
{
	bool end;
	struct span key;
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		p = scan_key(s, p, &key);
		if (p)
			p = f->field(f, s, p,
				words_find(f->words, key.at, key.len), to);
	}
	return p;
}

const char *fields_inner(const struct fields *f, struct scan *s, const char *p,
	field_fn *field, void *to)
{
	struct fields g = { f->words, field };
	return fields_read(&g, s, p, to);
}

/* Behind what separates an item of a list from the next, or at its end. */
static const char *next(struct scan *s, const char *p)
{
	p = scan_ws(p);
	if (*p == ',')
		return scan_ws(p + 1);
	return *p == ']' ? p : scan_stop(s, p);
}

const char *fields_each(const struct fields *f, struct scan *s, const char *p,
	field_fn *field, void *to)
{
	if (*p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (p && *p != ']') {
		p = *p == '{' ? fields_inner(f, s, p, field, to)
			      : scan_skip(s, p, false);
		p = p ? next(s, p) : NULL;
	}
	return p ? p + 1 : NULL;
}

const char *fields_number(struct scan *s, const char *p, int64_t *to)
{
	struct num n;
	p = num_int(s, p, &n);
	if (p && n.kind == NUM_OK && n.value >= 0)
		*to = n.value;
	return p;
}

const char *fields_string(struct scan *s, const char *p, struct span *text)
{
	const char *q = p;
	*text = (struct span){ 0 };
	if (*p != '"') {
		p = scan_skip(s, p, false);
		return p ? next(s, p) : NULL;
	}
	q = scan_value(s, p + 1, false);
	if (!q)
		return NULL;
	*text = (struct span){ p + 1, (uint32_t)(q - p - 1), s->escaped };
	return next(s, q + 1);
}

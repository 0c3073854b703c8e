/* meanings.c - lists of patterns that stand for something, and the names that
 * entries go by. */
#include "inside.h"
#include <string.h>

void meanings_add(struct catalog *c, struct meanings *p, const char *text,
	const void *stands_for, bool own)
{
	if (p->n == p->room) {
		uint32_t room = p->room ? 2 * p->room : 64;
		const char **texts = arena_array(&c->arena, const char *, room);
		const void **things =
			arena_array(&c->arena, const void *, room);
		if (p->n) {
			memcpy(texts, p->text, p->n * sizeof *texts);
			memcpy(things, p->stands_for, p->n * sizeof *things);
		}
		p->text = texts;
		p->stands_for = things;
		p->room = room;
	}
	p->text[p->n] = text;
	p->stands_for[p->n++] = stands_for;
	p->own += own;
}

bool meanings_compile(struct meanings *p, bool whole, uint32_t *fault,
	struct err *e)
{
	const struct matcher_rules r = {
		.patterns = p->text,
		.n = p->n,
		.own = p->own,
		.words = "",
		.before = "",
		.whole = whole,
	};
	p->matcher = matcher_new(&r, fault, e);
	return p->matcher;
}

const void *meanings_find(const struct meanings *p, const char *text,
	size_t len)
{
	struct matched m = matcher_find(p->matcher, text, len);
	return m.pattern < 0 ? NULL : p->stands_for[m.pattern];
}

bool own_has(const struct entries parts[PARTS], const char *name)
{
	return entries_find(&parts[OWN], name) < entries_n(&parts[OWN]);
}

bool name_read(const struct entries *d, size_t i, const char **name,
	struct err *e)
{
	if (!entries_text(d, i, "name", true, name, e))
		return false;
	if (strlen(*name) > 64 ||
		(*name)[strspn(*name, "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.:+")])
		return entries_fail(d, i, e,
			"a name has 64 letters, digits and _-.:+ at most");
	if (strcmp(*name, "unattributed") == 0)
		return entries_fail(d, i, e,
			"that is what launches without an operator are called");
	size_t first = entries_find(d, *name);
	if (first < i)
		return entries_fail(d, i, e, "items[%zu] has that name too",
			first);
	return true;
}

/* demangle.c - libiberty's demangler, stopped at a ceiling.
 *
 * Its callback has no way to say "enough", so that is said with longjmp: the
 * demangler keeps all of its state on the stack, so nothing is left behind.
 * Its own limit on nesting refuses harmless names past 1,024 bytes, and is
 * replaced by a limit on the name, which bounds how deep it can nest. */
#include "demangle.h"
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* What takes exponential time before a byte is written: conversions within
 * conversions are read twice each, and a pack is looked for in types that hold
 * each other twice. In 125,000 names of real libraries, CUDA's among them, no
 * name has one conversion too many, and one with a pack has 21 references. */
enum { CONVERSIONS_MAX = 8, REFERENCES_MAX = 48 };

struct sink {
	struct buf *out;
	jmp_buf enough;
};

static void put(const char *bytes, size_t len, void *ctx)
{
	struct sink *s = ctx;
	buf_add(s->out, bytes, len);
	if (s->out->full)
		longjmp(s->enough, 1);
}

/* How often `word` stands in the name, be it as part of an identifier. */
static size_t count(const char *name, const char *word)
{
	size_t n = 0;
	for (const char *p = name; (p = strstr(p, word)); p++)
		n++;
	return n;
}

/* References to what came before: S_, S0_, S1A_, … */
static size_t references(const char *name)
{
	size_t n = 0;
	for (const char *p = name; (p = strchr(p, 'S'));) {
		p += 1 + strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		n += *p == '_';
	}
	return n;
}

static bool takes_too_long(const char *name)
{
	if (count(name, "cv") > CONVERSIONS_MAX)
		return true;
	bool pack = strstr(name, "Dp") || strstr(name, "sZ") ||
		    strstr(name, "sP") || strstr(name, "fl") ||
		    strstr(name, "fr");
	return pack && references(name) > REFERENCES_MAX;
}

bool demangle(const char *mangled, size_t len, struct buf *out)
{
	struct sink s = { .out = out };
	if (len > DEMANGLE_NAME_MAX || takes_too_long(mangled))
		return false;
	if (setjmp(s.enough))
		return false;
	return cplus_demangle_v3_callback(mangled,
		       DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, put,
		       &s) != 0;
}

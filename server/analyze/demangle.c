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

/* What takes exponential time before a byte is written: in a conversion,
 * parameters with arguments are read twice each, and a pack is looked for in
 * types that hold each other twice. In 125,000 names of real libraries, CUDA's
 * among them, the most are 0 and 21. */
enum { PARAMETERS_MAX = 8, REFERENCES_MAX = 48 };

/* For each template of a name and each reference to a parameter the demangler
 * takes 16 bytes of the stack, up to four times: 2 MiB at this product. The
 * most in 60,000 names of real libraries is 60. */
enum { STACK_MAX = 32 * 1024 };

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

/* How often a reference stands in the name: the letter, digits, '_' and what
 * is to follow; be it as part of an identifier. S_, S0_, S1A_, … */
static size_t references(const char *name, char letter, const char *tail)
{
	size_t n = 0, len = strlen(tail);
	for (const char *p = name; (p = strchr(p, letter));) {
		p += 1 + strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		n += *p == '_' && !strncmp(p + 1, tail, len);
	}
	return n;
}

static bool takes_too_long(const char *name)
{
	if (strstr(name, "cv") && references(name, 'T', "I") > PARAMETERS_MAX)
		return true;
	bool pack = strstr(name, "Dp") || strstr(name, "sZ") ||
		    strstr(name, "sP") || strstr(name, "fl") ||
		    strstr(name, "fr");
	return pack && references(name, 'S', "") > REFERENCES_MAX;
}

static bool takes_too_much_stack(const char *name)
{
	size_t templates = 0, parameters = 0;
	for (const char *p = name; *p; p++) {
		templates += *p == 'I';
		parameters += (*p == 'R' || *p == 'O') &&
			      (p[1] == 'T' || p[1] == 'S');
	}
	return templates * parameters > STACK_MAX;
}

bool demangle(const char *mangled, size_t len, struct buf *out)
{
	struct sink s = { .out = out };
	if (len > DEMANGLE_NAME_MAX || takes_too_long(mangled) ||
		takes_too_much_stack(mangled))
		return false;
	if (setjmp(s.enough))
		return false;
	return cplus_demangle_v3_callback(mangled,
		       DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, put,
		       &s) != 0;
}

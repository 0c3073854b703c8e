/* demangle.c - libiberty's demangler, stopped at a ceiling.
 *
 * Its callback has no way to say "enough", so that is said with longjmp: the
 * demangler keeps all of its state on the stack, so nothing is left behind.
 * Its own limit on nesting refuses harmless names past 1,024 bytes, and is
 * replaced by a limit on the name, which bounds how deep it can nest. */
#include "demangle.h"
#include <libiberty/demangle.h>
#include <setjmp.h>

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

bool demangle(const char *mangled, size_t len, struct buf *out)
{
	struct sink s = { .out = out };
	if (len > DEMANGLE_NAME_MAX)
		return false;
	if (setjmp(s.enough))
		return false;
	return cplus_demangle_v3_callback(mangled,
		       DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, put,
		       &s) != 0;
}

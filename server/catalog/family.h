/* family.h - which family a kernel belongs to, and where its source lies.
 *
 * A table of rules, data/families.json: each has a PCRE2 pattern over the
 * demangled name, a family, and, only where somebody has looked, the file the
 * kernel is defined in or launched from, with the source of that knowledge.
 * The first rule that matches wins. Patterns are compiled with JIT and run
 * under a match limit, so that no name can make one run away. */
#pragma once
#include "arena.h"
#include "err.h"
#include "profile.h"

struct families;

/* Reads the table carried in the program. NULL with a sentence if it is
 * damaged, which a test excludes. One table may serve many threads. */
struct families *families_new(struct err *e);
void families_free(struct families *f);

/* Fills *out from the first rule that matches; all NULL where none does. The
 * texts live as long as the table. */
void families_find(const struct families *f, const char *name, size_t len,
	struct kernel_source *out);

/* demangle.h - C++ names of the Itanium ABI, expanded within bounds.
 *
 * Substitutions let 250 bytes stand for hundreds of megabytes, and
 * __cxa_demangle() expands all of it, while it refuses harmless names past
 * 1,024 bytes. So libiberty's demangler, which reads and writes in two steps:
 * in between, what was read is measured as the tree it stands for, for the
 * demangler walks that tree before it writes a pack; what it writes comes piece
 * by piece and is stopped where `out` is full. The spelling is GNU c++filt's. */
#pragma once
#include "buf.h"

/* A longer name is not looked at: the demangler nests as deep as a name does,
 * on the stack. */
enum { DEMANGLE_NAME_MAX = 8 * 1024 };

/* Adds the expansion of a name, which ends in NUL, to `out`. False where it
 * is not mangled, is mangled in a way not known, is longer than
 * DEMANGLE_NAME_MAX, would take too long or would pass the ceiling of `out`;
 * what was added then is of no use. */
bool demangle(const char *mangled, size_t len, struct buf *out);

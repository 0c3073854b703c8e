/* demangle.h - C++ names of the Itanium ABI, expanded within bounds.
 *
 * Substitutions let 250 bytes stand for hundreds of megabytes, and
 * __cxa_demangle() expands all of it: so libiberty's demangler, whose output
 * comes piece by piece and is stopped where `out` is full. Names on which it
 * would take exponential time without any output are refused beforehand. The
 * spelling is that of GNU c++filt. */
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

/* demangle.h - C++ names of the Itanium ABI, expanded within bounds.
 *
 * Substitutions let 250 bytes stand for hundreds of megabytes, and no
 * demangler at hand is bounded. __cxa_demangle() expands all of it, and
 * refuses harmless names past 1,024 bytes. libiberty's can be stopped where its
 * output grows too long, but not where it has none: 120 bytes make it read the
 * arguments of a conversion 2^30 times, 360 make it look for a pack in a tree
 * of 2^30 parts (tests/unit/analyze/test_demangle.c has both).
 *
 * This one knows how much every part expands to when it is read, before
 * anything is written, and gives up there; nothing is read twice. Time and
 * memory are linear in the name and in what is written, and the nesting is
 * limited. Its spelling is that of GNU c++filt. */
#pragma once
#include "buf.h"

/* Adds the name's expansion to `out`. False where it is not mangled, is
 * mangled in a way not known here, or would pass the ceiling of `out`; what
 * was added then is of no use. */
bool demangle(const char *mangled, size_t len, struct buf *out);

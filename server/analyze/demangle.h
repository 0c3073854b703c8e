/* demangle.h - C++ names of the Itanium ABI, expanded within bounds.
 *
 * Substitutions let 250 bytes stand for hundreds of megabytes, and the
 * demanglers at hand have no limit: __cxa_demangle() expands all of it, and
 * refuses harmless names past 1,024 bytes. This one knows how much every part
 * expands to when it is read, before anything is written, and gives up there:
 * time and memory are linear in the name and in what is written, and the
 * nesting is limited. Its spelling is that of GNU c++filt. */
#pragma once
#include "buf.h"

/* Adds the name's expansion to `out`. False where it is not mangled, is
 * mangled in a way not known here, or would pass the ceiling of `out`; what
 * was added then is of no use. */
bool demangle(const char *mangled, size_t len, struct buf *out);

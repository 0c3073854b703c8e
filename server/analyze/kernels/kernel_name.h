/* kernel_name.h - what a kernel is called: in full, and in short. */
#pragma once
#include "arena.h"
#include "buf.h"
#include <stddef.h>

/* Longest demangled name kept, in bytes. */
enum { KERNEL_NAME_MAX = 64 * 1024 };

enum kernel_name { NAME_PLAIN, NAME_DEMANGLED, NAME_REFUSED, NAME_FULL };

/* A name as the trace has it → the one that is shown, in *text and *text_len.
 *
 *   NAME_PLAIN      it is no mangled name: *text is it
 *   NAME_DEMANGLED  *text is in the arena
 *   NAME_REFUSED    mangled, but the demangler does not know it or it would
 *                   pass KERNEL_NAME_MAX: *text is the name as it is
 *   NAME_FULL       no room in the arena */
enum kernel_name kernel_name_from(struct arena *a, const char *raw, size_t len,
	const char **text, size_t *text_len);

/* The part of a name that people say: without return type, namespaces,
 * template arguments and parameters, as nsys' shortName.
 *
 *   void at::native::(anonymous namespace)::foo<int>(int*)  →  foo
 *
 * Names that are not C++ (Triton's, Tensile's) stay as they are. In the
 * arena; NULL if it is full. */
char *kernel_name_short(struct arena *a, const char *name, size_t len);

/* A longer name is not looked at: the demangler nests as deep as a name does,
 * on the stack. */
enum { DEMANGLE_NAME_MAX = 8 * 1024 };

/* Adds the expansion of a name, which ends in NUL, to `out`. False if it is not
 * mangled, is mangled in an unknown way, is longer than DEMANGLE_NAME_MAX,
 * would take too long or would pass the ceiling of `out`; what was added then
 * is invalid. */
bool kernel_name_demangle(const char *mangled, size_t len, struct buf *out);

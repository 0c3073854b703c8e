/* kernel_name.h - computes the full name and the short name that are shown for
 * a kernel. */
#pragma once
#include "arena.h"
#include "buf.h"
#include <stddef.h>

/* Longest demangled name kept, in bytes. */
enum { KERNEL_NAME_MAX = 64 * 1024 };

enum kernel_name { NAME_PLAIN, NAME_DEMANGLED, NAME_REFUSED, NAME_FULL };

/* Converts a name of the trace to the name that is shown, in *text and
 * *text_len.
 *
 *   NAME_PLAIN      the name is not mangled; *text is `raw`
 *   NAME_DEMANGLED  the name was demangled; *text is in the arena
 *   NAME_REFUSED    the name is mangled, but the demangler rejects it or the
 *                   result would be longer than KERNEL_NAME_MAX; *text is `raw`
 *   NAME_FULL       the arena is full */
enum kernel_name kernel_name_from(struct arena *a, const char *raw, size_t len,
	const char **text, size_t *text_len);

/* Returns the short name, like nsys' shortName: the name without return type,
 * namespaces, template arguments and parameters.
 *
 *   void at::native::(anonymous namespace)::foo<int>(int*)  →  foo
 *
 * Names that are not C++ (Triton's, Tensile's) do not change. The result is
 * allocated in the arena; NULL if the arena is full. */
char *kernel_name_short(struct arena *a, const char *name, size_t len);

/* Longer names are not demangled: the demangler recurses as deep as the name
 * nests and would use too much stack. */
enum { DEMANGLE_NAME_MAX = 8 * 1024 };

/* Appends the expansion of a name to `out`. The name must end with NUL. False
 * if the name is not mangled, is mangled in an unknown way, is longer than
 * DEMANGLE_NAME_MAX or would take too long, or if the expansion does not fit in
 * `out`. The appended text is then invalid. */
bool kernel_name_demangle(const char *mangled, size_t len, struct buf *out);

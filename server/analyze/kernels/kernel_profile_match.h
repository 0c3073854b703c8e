/* kernel_profile_match.h - finds the kernels of a run that a kernel profiler
 * measured, by their names.
 *
 * A name of the profiler is that of a kernel if it is
 *   - the name that is shown, or the name in the trace;
 *   - or this name in another spelling: demanglers differ in spaces, in casts
 *     of template arguments ("(int)4", "(bool)1"), in the name of unnamed
 *     namespaces, and in the parameters of templates ("T1 *" or "float *"),
 *     which are therefore not compared if a whole name does not fit;
 *   - or the name without arguments, template arguments and namespaces, as ncu
 *     prints it on request (--print-kernel-base function).
 * If several kernels fit in the last two ways, none is chosen. */
#pragma once
#include "kernel_profile.h"
#include "profile.h"

/* A row for each profile, in their order. Reads only the kernels of the run.
 * False if the arena is full. */
bool kernel_profile_match(const struct profile *run,
	const struct kernel_profiles *profiles, struct arena *a,
	struct kernel_profile_row **rows);

/* Writes a name without the differences between demanglers to `out`, which has
 * room for `len` + 1 bytes. Returns its length. */
size_t kernel_profile_match_spelling(char *out, const char *name, size_t len);

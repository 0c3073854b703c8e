/* distinct_name.h - short names of kernels, extended so that they differ.
 *
 * Kernels of a library often share their short name and differ in a template
 * argument. Their distinct name contains the short name and, in brackets, the first
 * words of the full name that differ between them: functors, then element
 * types, then numbers.
 *
 *   void at::native::elementwise_kernel<4, at::native::MulFunctor<float>>(…)
 *   void at::native::elementwise_kernel<4, at::native::AddFunctor<float>>(…)
 *   →  elementwise_kernel [MulFunctor],  elementwise_kernel [AddFunctor]
 *
 * A distinct name depends on the other names, so it is text to show and never a
 * key. */
#pragma once
#include "arena.h"
#include "profile.h"
#include <stdint.h>

/* The distinct name of each full name, in the order of `names`. It is the short
 * name if no other full name has the same short name. If the words of several
 * names do not differ, these end in #1, #2, …, in the order of the full names.
 * Equal full names have equal distinct names. The arena must have no size
 * limit. */
const char **distinct_names(struct arena *a, const char *const *names,
	uint32_t n);

/* Those of the kernels of a run, by kernel. */
const char **distinct_names_of_run(struct arena *a, const struct profile *p);

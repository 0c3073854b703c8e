/* kernel_list.h - the distinct kernels of a run, each name looked at once.
 *
 * Two names of the trace that demangle to the same text are one kernel. Grows
 * profile.kernels; what it needs beside them is given back by release(). */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

struct kernel_list {
	const struct trace *trace;
	const struct catalog *catalog;
	struct profile *profile;
	struct names texts; /* shown names; id = kernel + 1, "" is none */
	uint32_t *of_name; /* by id in the trace; kernel + 1 */
	uint32_t cap;
};

/* False where the arena is full. */
bool kernel_list_init(struct kernel_list *l, const struct trace *t,
	const struct catalog *f, struct profile *p);

/* The kernel of a name of the trace, in *kernel; false where the arena is
 * full. */
bool kernel_list_of(struct kernel_list *l, uint32_t name, uint32_t *kernel);
void kernel_list_release(struct kernel_list *l);

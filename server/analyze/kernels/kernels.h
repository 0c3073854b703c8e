/* kernels.h - lists the distinct kernels of a run and fills the tables of their
 * launches.
 *
 * Two names of the trace that demangle to the same text are one kernel. Each
 * name is demangled once. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* Fills p->kernels and p->stats from the launches of one process. *kernel_of
 * is, by kernel row of the process, the index into p->kernels; the caller
 * releases it with arena_drop(). False if the arena is full. */
bool kernels_from(const struct trace *t, struct slice rows,
	const struct catalog *f, struct profile *p, uint32_t **kernel_of);

struct kernel_list {
	const struct trace *trace;
	const struct catalog *catalog;
	struct profile *profile;
	struct names texts; /* shown names; id = kernel + 1, "" has no id */
	uint32_t *of_name; /* by name id of the trace: kernel + 1 */
	uint32_t cap;
};

/* False if the arena is full. */
bool kernels_list_init(struct kernel_list *l, const struct trace *t,
	const struct catalog *f, struct profile *p);

/* Stores the kernel of a name of the trace in *kernel, and adds the kernel if
 * it is new. False if the arena is full. */
bool kernels_list_find(struct kernel_list *l, uint32_t name, uint32_t *kernel);

void kernels_list_release(struct kernel_list *l);

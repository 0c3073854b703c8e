/* kernels.h - the distinct kernels of a run and the tables of their launches.
 *
 * Two names of the trace that kernel_name_demangle to the same text are one kernel. Each name
 * is looked up once. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* Fills p->kernels and p->stats from one process's launches. *kernel_of gets
 * each row's index into p->kernels; it is to be arena_drop()ped. False if
 * the arena is full. */
bool kernels_from(const struct trace *t, struct slice rows,
	const struct catalog *f, struct profile *p, uint32_t **kernel_of);

struct kernel_list {
	const struct trace *trace;
	const struct catalog *catalog;
	struct profile *profile;
	struct names texts; /* shown names; id = kernel + 1, "" is none */
	uint32_t *of_name; /* by id in the trace; kernel + 1 */
	uint32_t cap;
};

/* False if the arena is full. */
bool kernels_list_init(struct kernel_list *l, const struct trace *t,
	const struct catalog *f, struct profile *p);

/* The kernel of a name of the trace, in *kernel; false if the arena is
 * full. */
bool kernels_list_find(struct kernel_list *l, uint32_t name, uint32_t *kernel);

void kernels_list_release(struct kernel_list *l);

/* kernels.h - the tables over a run's kernels. */
#pragma once
#include "catalog.h"
#include "profile.h"
#include "trace.h"

/* Fills p->kernels and p->stats from one process's launches. *kernel_of gets
 * each row's index into p->kernels; it is to be arena_drop()ped. False where
 * the arena is full. */
bool kernels_from(const struct trace *t, struct slice rows,
	const struct catalog *f, struct profile *p, uint32_t **kernel_of);

/* profiled_kernels.h - finds the kernels of an upload's runs in the files of a
 * kernel profiler (Nsight Compute) that were attached to them. */
#pragma once
#include "db.h"
#include "profile.h"

/* Sets kernel_profiles of each of the `n` runs of an upload that is analyzed
 * again. The server accepted only files that can be read. */
bool profiled_kernels_find(struct db *db, int64_t upload, struct profile *runs,
	uint32_t n, struct arena *a, struct err *e);

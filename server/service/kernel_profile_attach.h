/* kernel_profile_attach.h - attaches a file of a kernel profiler (Nsight
 * Compute) to a run that is stored. */
#pragma once
#include "kernel_profiles.h"
#include "service.h"

/* Reads the file alone: whether it can be used, and what it counts. ERR_INPUT
 * with a sentence that names the file. `out` gets a digest, the content stays
 * the caller's. */
bool kernel_profile_attach_check(const char *name, const void *bytes,
	size_t len, struct kernel_profile_file *out, struct err *e);

/* Attaches the file. *existing: the run has the same file already, and nothing
 * was changed. ERR_INPUT if none of its kernels is one of the run. */
bool kernel_profile_attach(struct service_call *c, int64_t upload, int64_t run,
	const struct kernel_profile_file *f, bool *existing, struct err *e);

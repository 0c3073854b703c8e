/* injection.h - where the collector's library is, and how a command gets it.
 *
 * The driver loads what CUDA_INJECTION64_PATH names into a process when it is
 * first used, NVTX what NVTX_INJECTION64_PATH names: one library each. So a tool that
 * set one before us keeps it. */
#pragma once
#include "meter.h"
#include "options.h"

enum { INJECTION_PATH = 4096 };

/* The library's whole path: `named` where it is not "", else the first that is
 * there of beside this program, ../lib, and where it was installed. False with a sentence. */
bool injection_find(const char *named, char to[static INJECTION_PATH],
	struct err *e);

/* Sets our environment for the command, what is in `trace` included. Variables
 * that others set stay, and that is said. */
void injection_set(const char *library, const char *folder,
	const struct text_list *trace, struct meter *m);

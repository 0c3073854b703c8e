/* library.h - finds and opens the libcupti of this process with dlopen.
 *
 * If the process has loaded a libcupti already, that one is used: two copies
 * in one process refuse each other like two profilers. Otherwise it is the one
 * that KERNSIFT_TRACE_CUPTI names. Otherwise it is the newest one in the usual
 * folders that is not newer than the driver. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <cupti.h>

/* CALL(field, "symbol", NEEDED or WISHED, (arguments)) */
struct library {
	void *handle;
	uint32_t version; /* cuptiGetVersion */
	uint32_t driver; /* cuDriverGetVersion; 0 unknown */
#define CALL(field, symbol, need, arguments) \
	CUptiResult(CUPTIAPI *field) arguments;
#include "library.def"
#undef CALL
};

struct places_where;

/* Returns false and a sentence if there is no libcupti that can be used; the
 * process then continues without CUPTI. `path` is KERNSIFT_TRACE_CUPTI; NULL
 * or empty if it is not set. Calls the loader and reads the driver's version.
 * Calls no other function of CUDA and none of CUPTI. */
bool library_open(struct library *l, const char *path,
	char sentence[static 256]);
/* library_open(), but searches only in `where`. */
bool library_open_in(struct library *l, const char *path,
	const struct places_where *w, char sentence[static 256]);

/* The CUDA version that belongs to a cuptiGetVersion, in the form of
 * cuDriverGetVersion: 12040 is 12.4. 0 if it is older than CUDA 11.8. */
uint32_t library_cuda(uint32_t version);
/* The path of the library; "libcupti" if the loader does not know it. */
const char *library_path(const struct library *l);

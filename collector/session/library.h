/* library.h - the libcupti of this process, by dlopen.
 *
 * The one that is already loaded wins: two copies in one process refuse each
 * other like two profilers. Else KERNSIFT_TRACE_CUPTI, else the newest of the
 * usual places that is not newer than the driver. */
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

/* False and a sentence if there is none to be used; the process then
 * continues without CUPTI. `path` as KERNSIFT_TRACE_CUPTI, NULL or empty:
 * none. Calls the loader and reads the driver's version; calls nothing else
 * of CUDA and nothing of CUPTI. */
bool library_open(struct library *l, const char *path,
	char sentence[static 256]);
/* The same, looking there alone. */
bool library_open_in(struct library *l, const char *path,
	const struct places_where *w, char sentence[static 256]);

/* The CUDA that a cuptiGetVersion belongs to, as cuDriverGetVersion counts:
 * 12040 is 12.4. 0: older than CUDA 11.8. */
uint32_t library_cuda(uint32_t version);
/* The file it came from; "libcupti" if the loader does not know. */
const char *library_path(const struct library *l);

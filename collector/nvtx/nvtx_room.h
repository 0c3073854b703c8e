/* nvtx_room.h - memory for what NVTX needs, from mmap.
 *
 * Pages cost nothing before they are touched, so rooms are as large as they may
 * ever get and never move. */
#pragma once
#include <stddef.h>
#include <sys/mman.h>

/* Zeroed; NULL if there is none. */
static inline void *nvtx_room(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* nvtx_room.h - memory from mmap for NVTX data.
 *
 * A page uses no memory before it is touched. So each block is mapped at its
 * maximum size and never moves. */
#pragma once
#include <stddef.h>
#include <sys/mman.h>

/* Maps zeroed memory; NULL if there is none. */
static inline void *nvtx_room(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

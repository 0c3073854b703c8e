/* kst_memory.h - memory from the allocation hooks of kst.h. */
#pragma once
#include <kernsift/kst.h>
#include <stdlib.h>

static inline void *kst_grow(const struct kst_memory *m, void *p, size_t bytes)
{
	return m->grow ? m->grow(m->ctx, p, bytes) : realloc(p, bytes);
}

static inline void kst_drop(const struct kst_memory *m, void *p)
{
	if (m->drop)
		m->drop(m->ctx, p);
	else
		free(p);
}

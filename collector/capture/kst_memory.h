/* kst_memory.h - memory by the hooks of kst.h, and malloc's with a ceiling. */
#pragma once
#include <kernsift/kst.h>

void *kst_grow(const struct kst_memory *m, void *p, size_t bytes);
void kst_drop(const struct kst_memory *m, void *p);

/* Hooks over malloc that give no more than `ceiling` bytes at a time in use. */
struct kst_pool {
	size_t taken, ceiling;
};
struct kst_memory kst_pool_memory(struct kst_pool *pool);

/* kst_memory.c - each block of the pool knows its size. */
#include "kst_memory.h"
#include <stdlib.h>

struct kst_memory_block {
	_Alignas(16) size_t size;
	_Alignas(16) char bytes[];
};

void *kst_grow(const struct kst_memory *m, void *p, size_t bytes)
{
	return m->grow ? m->grow(m->ctx, p, bytes) : realloc(p, bytes);
}

void kst_drop(const struct kst_memory *m, void *p)
{
	if (m->drop)
		m->drop(m->ctx, p);
	else
		free(p);
}

static struct kst_memory_block *kst_memory_block_of(void *p)
{
	return p ? (struct kst_memory_block *)((char *)p -
					       offsetof(struct kst_memory_block,
						       bytes))
		 : NULL;
}

static void *kst_memory_pool_grow(void *ctx, void *p, size_t bytes)
{
	struct kst_pool *pool = ctx;
	struct kst_memory_block *b = kst_memory_block_of(p);
	size_t had = b ? b->size : 0;
	if (bytes > pool->ceiling || pool->taken - had > pool->ceiling - bytes)
		return NULL;
	struct kst_memory_block *grown = realloc(b, sizeof *b + bytes);
	if (!grown)
		return NULL;
	pool->taken += bytes - had;
	grown->size = bytes;
	/* The block is freed by its bytes, see kst_memory_block_of(). */
	/* cppcheck-suppress memleak */
	return grown->bytes;
}

static void kst_memory_pool_drop(void *ctx, void *p)
{
	struct kst_pool *pool = ctx;
	struct kst_memory_block *b = kst_memory_block_of(p);
	if (b)
		pool->taken -= b->size;
	free(b);
}

struct kst_memory kst_pool_memory(struct kst_pool *pool)
{
	return (struct kst_memory){ kst_memory_pool_grow, kst_memory_pool_drop,
		pool };
}

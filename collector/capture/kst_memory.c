/* kst_memory.c - each block of the pool knows its size. */
#include "kst_memory.h"
#include <stdlib.h>

struct block {
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

static struct block *block_of(void *p)
{
	return p ? (struct block *)((char *)p - offsetof(struct block, bytes))
		 : NULL;
}

static void *pool_grow(void *ctx, void *p, size_t bytes)
{
	struct kst_pool *pool = ctx;
	struct block *b = block_of(p);
	size_t had = b ? b->size : 0;
	if (bytes > pool->ceiling || pool->taken - had > pool->ceiling - bytes)
		return NULL;
	struct block *grown = realloc(b, sizeof *b + bytes);
	if (!grown)
		return NULL;
	pool->taken += bytes - had;
	grown->size = bytes;
	return grown->bytes;
}

static void pool_drop(void *ctx, void *p)
{
	struct kst_pool *pool = ctx;
	struct block *b = block_of(p);
	if (b)
		pool->taken -= b->size;
	free(b);
}

struct kst_memory kst_pool_memory(struct kst_pool *pool)
{
	return (struct kst_memory){ pool_grow, pool_drop, pool };
}

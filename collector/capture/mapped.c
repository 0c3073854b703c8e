/* mapped.c - memory from mmap with a limit; each block begins with its size. */
#include "mapped.h"
#include <sys/mman.h>
#include <unistd.h>

struct mapped_block {
	_Alignas(64) size_t size; /* of the mapping */
	_Alignas(64) char bytes[];
};

static struct mapped_block *mapped_block_of(void *p)
{
	return p ? (struct mapped_block *)((char *)p -
					   offsetof(struct mapped_block, bytes))
		 : NULL;
}

/* Rounded up to whole pages; 0 if that overflows. */
static size_t mapped_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
	if (__builtin_add_overflow(bytes,
		    sizeof(struct mapped_block) + page - 1, &size))
		return 0;
	return size & ~(page - 1);
}

void *mapped_grow(struct mapped *m, void *p, size_t bytes)
{
	struct mapped_block *b = mapped_block_of(p);
	size_t had = b ? b->size : 0, size = mapped_pages(bytes);
	if (b && size && size <= had)
		return p;
	if (!size || size > m->ceiling || m->taken - had > m->ceiling - size)
		return NULL;
	void *at = b ? mremap(b, had, size, MREMAP_MAYMOVE)
		     : mmap(NULL, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	m->taken += size - had;
	b = at;
	b->size = size;
	return b->bytes;
}

void mapped_drop(struct mapped *m, void *p)
{
	struct mapped_block *b = mapped_block_of(p);
	if (!b)
		return;
	m->taken -= b->size;
	munmap(b, b->size);
}

static void *grow(void *ctx, void *p, size_t bytes)
{
	return mapped_grow(ctx, p, bytes);
}

static void drop(void *ctx, void *p)
{
	mapped_drop(ctx, p);
}

struct kst_memory mapped_memory(struct mapped *m)
{
	return (struct kst_memory){ grow, drop, m };
}

/* pool.c - a stack of free pieces whose top counts its changes. */
#include "pool.h"
#include <sys/mman.h>

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

bool pool_init(struct pool *p, size_t piece, uint32_t n)
{
	*p = (struct pool){ .piece = piece, .n = n };
	p->bytes = reserve(piece * n);
	p->pieces = p->bytes ? reserve(n * sizeof *p->pieces) : NULL;
	if (p->pieces)
		return true;
	pool_release(p);
	return false;
}

void pool_release(struct pool *p)
{
	if (p->bytes)
		munmap(p->bytes, p->piece * p->n);
	if (p->pieces)
		munmap(p->pieces, p->n * sizeof *p->pieces);
	p->bytes = NULL;
	p->pieces = NULL;
}

/* The same top, one change later, with another piece. */
static uint64_t turned(uint64_t top, uint32_t piece)
{
	return ((top >> 32) + 1) << 32 | piece;
}

static int pop(struct pool *p)
{
	uint64_t top = atomic_load_explicit(&p->top, memory_order_acquire);
	uint32_t below;
	do {
		if (!(uint32_t)top)
			return -1;
		below = atomic_load_explicit(&p->pieces[(uint32_t)top - 1]
						      .below,
			memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&p->top, &top,
		turned(top, below), memory_order_acquire,
		memory_order_acquire));
	return (int)((uint32_t)top - 1);
}

static int begin(struct pool *p)
{
	uint32_t n = atomic_load_explicit(&p->fresh, memory_order_relaxed);
	do {
		if (n == p->n)
			return -1;
	} while (!atomic_compare_exchange_weak_explicit(&p->fresh, &n, n + 1,
		memory_order_relaxed, memory_order_relaxed));
	return (int)n;
}

int pool_take(struct pool *p)
{
	int piece = pop(p);
	if (piece < 0)
		piece = begin(p);
	if (piece >= 0)
		atomic_store_explicit(&p->pieces[piece].lent, true,
			memory_order_relaxed);
	return piece;
}

bool pool_back(struct pool *p, int piece)
{
	return atomic_exchange_explicit(&p->pieces[piece].lent, false,
		memory_order_relaxed);
}

void pool_give(struct pool *p, int piece)
{
	uint64_t top = atomic_load_explicit(&p->top, memory_order_relaxed);
	do
		atomic_store_explicit(&p->pieces[piece].below, (uint32_t)top,
			memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&p->top, &top,
		turned(top, (uint32_t)piece + 1), memory_order_release,
		memory_order_relaxed));
}

int pool_find(const struct pool *p, const uint8_t *at)
{
	uintptr_t off = (uintptr_t)at - (uintptr_t)p->bytes;
	if (off >= p->piece * p->n || off % p->piece)
		return -1;
	return (int)(off / p->piece);
}

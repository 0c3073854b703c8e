/* arena.c - memory blocks, newest first; each large array has its own block. */
#include "arena.h"
#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024, ALIGN = 16 };

struct arena_block {
	struct arena_block *below, *above;
	size_t used, size;
	_Alignas(ALIGN) char bytes[];
};

static void arena_out_of_memory(size_t bytes)
{
	fprintf(stderr, "out of memory: %zu bytes\n", bytes);
	abort();
}

/* Whether `bytes` more may be allocated; if so, counts them. A size of more
 * than half of the address space is the result of an overflow. It would also
 * leave no space for the block's header. */
static bool arena_take(struct arena *a, size_t bytes)
{
	bool absurd = bytes > SIZE_MAX / 2;
	if (absurd && !a->ceiling)
		arena_out_of_memory(bytes);
	if (absurd || (a->ceiling && (bytes > a->ceiling ||
					     a->taken + a->lent >
						     a->ceiling - bytes))) {
		a->full = true;
		return false;
	}
	a->taken += bytes;
	return true;
}

/* Bytes of address space in use; 0 if that is unknown. */
static size_t arena_address_space(void)
{
	char text[32] = "";
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return 0;
	return strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Whether the limit on this process' address space would be exceeded. */
static bool arena_limited(size_t bytes)
{
	/* malloc takes more from the system than its caller requests */
	enum { SLACK = 4 << 20 };
	struct rlimit l;
	size_t want;
	return getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur != RLIM_INFINITY &&
	       (__builtin_add_overflow(arena_address_space(), bytes, &want) ||
		       __builtin_add_overflow(want, (size_t)SLACK, &want) ||
		       want > l.rlim_cur);
}

void arena_refuse(struct arena *a, size_t bytes)
{
	a->full = true;
	a->refused |= !arena_limited(bytes);
}

static struct arena_block *arena_block_new(struct arena *a, size_t size)
{
	if (!arena_take(a, size))
		return NULL;
	struct arena_block *b = calloc(1, sizeof *b + size);
	if (!b && !a->ceiling)
		arena_out_of_memory(size);
	if (!b) {
		a->taken -= size;
		arena_refuse(a, size);
		return NULL;
	}
	b->size = size;
	return b;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t want;
	if (__builtin_mul_overflow(count, size, &want) || want > SIZE_MAX / 2) {
		assert(a->ceiling);
		a->full = true;
		return NULL;
	}
	want = (want + ALIGN - 1) / ALIGN * ALIGN;
	if (!a->top || a->top->size - a->top->used < want) {
		struct arena_block *b =
			arena_block_new(a, want > BLOCK ? want : BLOCK);
		if (!b)
			return NULL;
		b->below = a->top;
		a->top = b;
	}
	void *p = a->top->bytes + a->top->used;
	a->top->used += want;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1, 1);
	return p ? memcpy(p, s, len) : NULL;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(len >= 0);
	char *p = arena_alloc(a, (size_t)len + 1, 1);
	if (p)
		vsnprintf(p, (size_t)len + 1, fmt, again);
	va_end(again);
	return p;
}

static struct arena_block *arena_block_of(void *p)
{
	return (struct arena_block *)((char *)p -
				      offsetof(struct arena_block, bytes));
}

static void arena_own_link(struct arena *a, struct arena_block *b)
{
	b->above = NULL;
	b->below = a->own;
	if (a->own)
		a->own->above = b;
	a->own = b;
}

static void arena_own_unlink(struct arena *a, struct arena_block *b)
{
	if (b->below)
		b->below->above = b->above;
	if (b->above)
		b->above->below = b->below;
	else
		a->own = b->below;
}

void *arena_grow(struct arena *a, void *p, size_t bytes)
{
	if (!p) {
		struct arena_block *b = arena_block_new(a, bytes);
		if (!b)
			return NULL;
		arena_own_link(a, b);
		return b->bytes;
	}
	struct arena_block *b = arena_block_of(p);
	if (bytes <= b->size)
		return p;
	size_t more = bytes - b->size;
	if (!arena_take(a, more))
		return NULL;
	arena_own_unlink(a, b);
	struct arena_block *moved = realloc(b, sizeof *b + bytes);
	if (!moved) {
		if (!a->ceiling)
			arena_out_of_memory(bytes);
		arena_own_link(a, b);
		a->taken -= more;
		arena_refuse(a, bytes);
		return NULL;
	}
	arena_own_link(a, moved);
	moved->size = bytes;
	return moved->bytes;
}

void arena_drop(struct arena *a, void *p)
{
	if (!p)
		return;
	struct arena_block *b = arena_block_of(p);
	arena_own_unlink(a, b);
	a->taken -= b->size;
	free(b);
}

bool arena_err(const struct arena *a, struct err *e)
{
	if (a->refused)
		return err_set(e, ERR_BUSY,
			"this machine has no memory left for an ingest");
	return err_set(e, ERR_TOO_LARGE,
		"the trace needs more than %zu MiB of memory; record a "
		"shorter window, or raise --ingest-mib",
		a->ceiling >> 20);
}

static void arena_blocks_free(struct arena_block *b)
{
	while (b) {
		struct arena_block *below = b->below;
		free(b);
		b = below;
	}
}

void arena_release(struct arena *a)
{
	arena_blocks_free(a->top);
	arena_blocks_free(a->own);
	*a = (struct arena){ .ceiling = a->ceiling };
}

struct arena arena_scratch(const struct arena *a)
{
	size_t used = a->taken + a->lent;
	size_t left = a->ceiling > used ? a->ceiling - used : 1;

	return (struct arena){ .ceiling = a->ceiling ? left : 0 };
}

void arena_scratch_release(struct arena *scratch, struct arena *a)
{
	a->full |= scratch->full;
	a->refused |= scratch->refused;
	arena_release(scratch);
}

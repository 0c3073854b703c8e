/* intake.c - lends buffers to CUPTI and takes complete ones back. */
#include "intake.h"
#include "clock.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A fixed number of memory pieces of equal size, lent without locks.
 *
 * One mapping is reserved for all pieces. Its pages use memory only after a
 * piece was lent. A returned piece is lent again before a new one. Any thread
 * may take and return pieces. */

struct pool {
	uint8_t *bytes;
	size_t piece; /* bytes of each */
	uint32_t n;
	_Atomic uint32_t fresh; /* number of pieces that were lent at least
				 * once */
	_Atomic uint64_t top; /* of the free pieces: generation, piece + 1 */
	struct pool_piece {
		_Atomic uint32_t below; /* piece + 1; 0: none */
		_Atomic bool lent;
	} * piece_table;
};

static inline uint8_t *intake_pool_at(const struct pool *p, int piece)
{
	return p->bytes + (size_t)piece * p->piece;
}

static void intake_pool_release(struct pool *p);

static void *intake_reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* False if there is no memory. */
static bool intake_pool_init(struct pool *p, size_t piece, uint32_t n)
{
	*p = (struct pool){ .piece = piece, .n = n };
	p->bytes = intake_reserve(piece * n);
	p->piece_table =
		p->bytes ? intake_reserve(n * sizeof *p->piece_table) : NULL;
	if (p->piece_table)
		return true;
	intake_pool_release(p);
	return false;
}

static void intake_pool_release(struct pool *p)
{
	if (p->bytes)
		munmap(p->bytes, p->piece * p->n);
	if (p->piece_table)
		munmap(p->piece_table, p->n * sizeof *p->piece_table);
	p->bytes = NULL;
	p->piece_table = NULL;
}

/* The value of `top` with the next generation and another piece. */
static uint64_t intake_turned(uint64_t top, uint32_t piece)
{
	return ((top >> 32) + 1) << 32 | piece;
}

static int intake_pop(struct pool *p)
{
	uint64_t top = atomic_load_explicit(&p->top, memory_order_acquire);
	uint32_t below;
	do {
		if (!(uint32_t)top)
			return -1;
		below = atomic_load_explicit(&p->piece_table[(uint32_t)top - 1]
						      .below,
			memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(&p->top, &top,
		intake_turned(top, below), memory_order_acquire,
		memory_order_acquire));
	return (int)((uint32_t)top - 1);
}

static int intake_begin(struct pool *p)
{
	uint32_t n = atomic_load_explicit(&p->fresh, memory_order_relaxed);
	do {
		if (n == p->n)
			return -1;
	} while (!atomic_compare_exchange_weak_explicit(&p->fresh, &n, n + 1,
		memory_order_relaxed, memory_order_relaxed));
	return (int)n;
}

/* Takes a piece and returns its number, or -1 if none is left. */
static int intake_pool_take(struct pool *p)
{
	int piece = intake_pop(p);
	if (piece < 0)
		piece = intake_begin(p);
	if (piece >= 0)
		atomic_store_explicit(&p->piece_table[piece].lent, true,
			memory_order_relaxed);
	return piece;
}

/* Marks a piece as not lent. It stays reserved until intake_pool_give(). False
 * if the piece was not lent. */
static bool intake_pool_back(struct pool *p, int piece)
{
	return atomic_exchange_explicit(&p->piece_table[piece].lent, false,
		memory_order_relaxed);
}

static void intake_pool_give(struct pool *p, int piece)
{
	uint64_t top = atomic_load_explicit(&p->top, memory_order_relaxed);
	do
		atomic_store_explicit(&p->piece_table[piece].below,
			(uint32_t)top, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&p->top, &top,
		intake_turned(top, (uint32_t)piece + 1), memory_order_release,
		memory_order_relaxed));
}

/* The piece that begins at an address; -1 if there is none. */
static int intake_pool_find(const struct pool *p, const uint8_t *at)
{
	uintptr_t off = (uintptr_t)at - (uintptr_t)p->bytes;
	if (off >= p->piece * p->n || off % p->piece)
		return -1;
	return (int)(off / p->piece);
}

/* Returned buffers are on a stack. The reader takes the complete stack and
 * reverses it, so that the buffer that arrived first is on top. No piece can
 * appear twice. */

enum {
	/* the version from which on CUPTI drops records if it gets no buffer */
	BEARS_NULL = 27,
	PIECE = 1 << 20,
	SMALL = 16 << 10, /* of buffers whose records are only counted */
	SMALLS = 1024,
	SPARE = 64 << 10, /* for requests that must not get NULL */
};

struct parcel { /* for each piece: the bytes that CUPTI filled */
	uint32_t below; /* piece + 1 of the one that arrived before; 0: none */
	uint32_t thread;
	size_t valid; /* 0: only to be zeroed */
	int64_t at_ns;
};

struct intake {
	const struct layout *layout;
	struct kernel_names *names;
	struct pool pool, small;
	struct parcel *parcels;
	uint32_t first; /* of the reader: piece + 1 of the one that arrived
			 * first */
	uint32_t seen; /* of the reader: `calls` at the last reading */
	_Alignas(64) _Atomic uint32_t came; /* piece + 1 of the one that
					     * arrived last */
	_Atomic uint32_t calls, sleeping;
	_Atomic bool shed;
	_Atomic int lent, spare; /* buffers; of these, buffers beyond SMALLS */
	_Atomic int64_t kernels, pooled, shedded, unreadable;
};

/* Before 12.9 CUPTI writes to the address that it gets without checking it for
 * NULL. So there must be a buffer for as many threads as there can be. */
static bool intake_small_init(struct intake *i)
{
	return (i->layout->version < BEARS_NULL &&
		       intake_pool_init(&i->small, SMALL, SMALLS + SPARE)) ||
	       intake_pool_init(&i->small, SMALL, SMALLS);
}

struct intake *intake_new(const struct layout *l, struct kernel_names *n,
	size_t cap_bytes)
{
	uint32_t piece_table =
		cap_bytes < PIECE ? 1 : (uint32_t)(cap_bytes / PIECE);
	size_t bytes =
		sizeof(struct intake) + piece_table * sizeof(struct parcel);
	struct intake *i = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (i == MAP_FAILED)
		return NULL;
	i->layout = l;
	i->names = n;
	i->parcels = (struct parcel *)(i + 1);
	if (intake_pool_init(&i->pool, PIECE, piece_table) &&
		intake_small_init(i))
		return i;
	intake_pool_release(&i->pool);
	munmap(i, bytes);
	return NULL;
}

void intake_free(struct intake *i)
{
	if (!i)
		return;
	size_t bytes = sizeof *i + i->pool.n * sizeof *i->parcels;
	intake_pool_release(&i->small);
	intake_pool_release(&i->pool);
	munmap(i, bytes);
}

void intake_request(struct intake *i, uint8_t **buffer, size_t *size,
	size_t *max_records)
{
	struct pool *p = &i->pool;
	int piece = intake_pool_take(p);
	if (piece < 0)
		piece = intake_pool_take(p = &i->small);
	*buffer = piece < 0 ? NULL : intake_pool_at(p, piece);
	*size = piece < 0 ? 0 : p->piece;
	*max_records = 0; /* as many as fit */
	if (piece < 0)
		return;
	atomic_fetch_add_explicit(&i->lent, 1, memory_order_relaxed);
	if (p == &i->small && piece >= SMALLS)
		atomic_fetch_add_explicit(&i->spare, 1, memory_order_relaxed);
}

static uint32_t intake_thread_id(void)
{
	static _Thread_local uint32_t id;
	if (!id)
		id = (uint32_t)syscall(SYS_gettid);
	return id;
}

static void intake_add(_Atomic int64_t *to, int64_t n)
{
	if (n)
		atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

/* How many records a buffer holds. */
static int64_t intake_count(struct intake *i, uint8_t *buffer, size_t valid)
{
	struct record r = { .at = NULL };
	size_t unreadable;
	int64_t n = 0;
	while (records_next(i->layout, buffer, valid, &r, &unreadable))
		n++;
	intake_add(&i->unreadable, unreadable > 0);
	return n;
}

/* Replaces names by numbers. Returns the number of bytes whose records can be
 * read. */
static size_t intake_pin(struct intake *i, uint8_t *buffer, size_t valid)
{
	struct record r = { .at = NULL };
	size_t unreadable;
	int64_t kernels = 0;
	uint64_t *name;
	names_forget_pointers(i->names);
	while (records_next(i->layout, buffer, valid, &r, &unreadable))
		if ((name = record_name(&r))) {
			*name = names_pin(i->names,
				(const char *)(uintptr_t)*name);
			kernels++;
		}
	intake_add(&i->kernels, kernels);
	intake_add(&i->unreadable, unreadable > 0);
	return valid - unreadable;
}

/* Zeroes a small buffer. One beyond the usual number also releases its
 * memory. */
static void intake_small_done(struct intake *i, int small)
{
	uint8_t *at = intake_pool_at(&i->small, small);
	if (small < SMALLS || madvise(at, SMALL, MADV_DONTNEED))
		memset(at, 0, SMALL);
	if (small >= SMALLS)
		atomic_fetch_sub_explicit(&i->spare, 1, memory_order_relaxed);
	intake_pool_give(&i->small, small);
}

static void intake_push(struct intake *i, int piece)
{
	uint32_t last = atomic_load_explicit(&i->came, memory_order_relaxed);
	do
		i->parcels[piece].below = last;
	while (!atomic_compare_exchange_weak_explicit(&i->came, &last,
		(uint32_t)piece + 1, memory_order_seq_cst,
		memory_order_relaxed));
	intake_wake(i);
}

void intake_complete(struct intake *i, uint8_t *buffer, size_t valid)
{
	int piece = intake_pool_find(&i->pool, buffer);
	int small = piece < 0 ? intake_pool_find(&i->small, buffer) : -1;
	struct pool *p = piece < 0 ? &i->small : &i->pool;
	bool shed = atomic_load_explicit(&i->shed, memory_order_relaxed);

	if (piece < 0 && small < 0) { /* another profiler's buffer */
		intake_add(&i->pooled,
			buffer ? intake_count(i, buffer, valid) : 0);
		return;
	}
	if (!intake_pool_back(p, piece < 0 ? small : piece))
		return;
	valid = valid < p->piece ? valid : p->piece;
	if (piece < 0) {
		intake_add(&i->pooled, intake_count(i, buffer, valid));
		intake_small_done(i, small);
	} else {
		if (shed)
			intake_add(&i->shedded, intake_count(i, buffer, valid));
		i->parcels[piece].valid =
			shed ? 0 : intake_pin(i, buffer, valid);
		i->parcels[piece].thread = intake_thread_id();
		i->parcels[piece].at_ns = clock_real_ns();
		intake_push(i, piece);
	}
	atomic_fetch_sub_explicit(&i->lent, 1, memory_order_relaxed);
}

/* Takes all buffers that arrived and reverses their order. */
static bool intake_gather(struct intake *i)
{
	uint32_t last =
		atomic_exchange_explicit(&i->came, 0, memory_order_acquire);
	while (last) {
		struct parcel *p = &i->parcels[last - 1];
		uint32_t below = p->below;
		p->below = i->first;
		i->first = last;
		last = below;
	}
	return i->first;
}

static void intake_piece_done(struct intake *i, int piece)
{
	memset(intake_pool_at(&i->pool, piece), 0, PIECE);
	intake_pool_give(&i->pool, piece);
}

bool intake_next(struct intake *i, struct intake_buffer *b)
{
	while (i->first || intake_gather(i)) {
		int piece = (int)i->first - 1;
		const struct parcel *p = &i->parcels[piece];
		i->first = p->below;
		if (!p->valid) {
			intake_piece_done(i, piece);
			continue;
		}
		*b = (struct intake_buffer){ intake_pool_at(&i->pool, piece),
			p->valid, p->thread, p->at_ns, piece };
		return true;
	}
	return false;
}

void intake_done(struct intake *i, const struct intake_buffer *b)
{
	intake_piece_done(i, b->slot);
}

static bool intake_is_ready(const struct intake *i)
{
	return i->first || atomic_load_explicit(&i->came, memory_order_seq_cst);
}

void intake_wait(struct intake *i, int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };
	uint32_t calls = atomic_load_explicit(&i->calls, memory_order_seq_cst);
	if (ns > 0 && calls == i->seen && !intake_is_ready(i)) {
		atomic_store_explicit(&i->sleeping, 1, memory_order_seq_cst);
		if (!intake_is_ready(i))
			syscall(SYS_futex, &i->calls, FUTEX_WAIT_PRIVATE, calls,
				&t, NULL, 0);
		atomic_store_explicit(&i->sleeping, 0, memory_order_relaxed);
		calls = atomic_load_explicit(&i->calls, memory_order_relaxed);
	}
	i->seen = calls;
}

void intake_wake(struct intake *i)
{
	atomic_fetch_add_explicit(&i->calls, 1, memory_order_seq_cst);
	if (atomic_load_explicit(&i->sleeping, memory_order_seq_cst))
		syscall(SYS_futex, &i->calls, FUTEX_WAKE_PRIVATE, 1, NULL, NULL,
			0);
}

void intake_shed(struct intake *i, bool on)
{
	atomic_store_explicit(&i->shed, on, memory_order_relaxed);
}

struct intake_drops intake_dropped(struct intake *i)
{
	return (struct intake_drops){
		.pool = atomic_exchange_explicit(&i->pooled, 0,
			memory_order_relaxed),
		.shed = atomic_exchange_explicit(&i->shedded, 0,
			memory_order_relaxed),
		.unreadable = atomic_exchange_explicit(&i->unreadable, 0,
			memory_order_relaxed),
	};
}

int64_t intake_kernels(const struct intake *i)
{
	return atomic_load_explicit(&i->kernels, memory_order_relaxed);
}

int intake_lent(const struct intake *i)
{
	return atomic_load_explicit(&i->lent, memory_order_relaxed);
}

size_t intake_mapped_bytes(const struct intake *i)
{
	size_t smalls = atomic_load(&i->small.fresh);
	smalls = smalls < SMALLS ? smalls : SMALLS;
	smalls += (size_t)atomic_load(&i->spare);
	return (size_t)atomic_load(&i->pool.fresh) * PIECE + smalls * SMALL;
}

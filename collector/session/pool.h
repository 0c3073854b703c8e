/* pool.h - a fixed number of equal pieces of memory, lent without locks.
 *
 * One mapping is reserved at once; pages of it are there only once a piece was
 * lent, and a piece given back is lent again before a new one is. Any thread
 * may take and give. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pool {
	uint8_t *bytes;
	size_t piece; /* bytes of each */
	uint32_t n;
	_Atomic uint32_t fresh; /* pieces that were ever lent */
	_Atomic uint64_t top; /* of the free ones: generation, piece + 1 */
	struct pool_piece {
		_Atomic uint32_t below; /* piece + 1; 0: none */
		_Atomic bool lent;
	} * pieces;
};

/* False where there is no memory. */
bool pool_init(struct pool *p, size_t piece, uint32_t n);
void pool_release(struct pool *p);

/* The number of a piece, or -1 where none is left. */
int pool_take(struct pool *p);
/* Not lent any more, and in nobody's hands until pool_give(). False where it
 * was not lent. */
bool pool_back(struct pool *p, int piece);
void pool_give(struct pool *p, int piece);

static inline uint8_t *pool_at(const struct pool *p, int piece)
{
	return p->bytes + (size_t)piece * p->piece;
}

/* Which piece begins at an address; -1: none. */
int pool_find(const struct pool *p, const uint8_t *at);

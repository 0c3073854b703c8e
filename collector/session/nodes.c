/* nodes.c - stores graph nodes and their open ranges in a table without locks.
 *
 * A thread claims an entry by increasing a counter, fills it, and then
 * publishes it in an index with one exchange. The entry never moves and is
 * never freed. Each stack of ranges is stored once: the nodes of an operator
 * and their clones share it. The table is one mapping, whose pages use no
 * memory before they are touched. */
#include "nodes.h"
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum {
	INDEX = 2 * NODES_MAX, /* half of it is empty, so that probes are
			        * short */
	WORDS = 1 << 20, /* for stacks; a stack is its depth and its ids */
	SHARED = 1 << 16, /* positions that are searched for an equal stack */
	TRIES = 8
};

/* Special values of an entry's `stack`, which is otherwise a position in
 * words[]. The stack is not known yet, or it is no longer valid because the
 * node's id was used again. */
#define STACK_UNSET 0u
#define STACK_OVER UINT32_MAX

struct nodes_entry {
	uint64_t node;
	bool cloned;
	_Atomic uint32_t stack; /* written last */
};

struct nodes {
	_Atomic uint64_t claimed; /* entries, and those that found no room */
	_Atomic uint64_t used; /* words; word 0 is not used */
	_Atomic int64_t lost;
	uint32_t written; /* number of entries written; of the writing thread */
	_Atomic uint32_t index[INDEX]; /* entry + 1 */
	_Atomic uint32_t shared[SHARED]; /* a place in words[] */
	struct nodes_entry entries[NODES_MAX];
	uint32_t words[WORDS];
};

struct nodes *nodes_new(void)
{
	void *at = mmap(NULL, sizeof(struct nodes), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	struct nodes *n = at;
	atomic_init(&n->used, 1);
	return n;
}

void nodes_free(struct nodes *n)
{
	if (n)
		munmap(n, sizeof *n);
}

static uint64_t nodes_mixed(uint64_t x)
{
	x ^= x >> 32;
	x *= 0x9E3779B97F4A7C15u;
	return x ^ x >> 29;
}

static uint32_t nodes_stack_place(const uint32_t *stack, int depth)
{
	uint64_t h = (uint64_t)depth;
	for (int i = 0; i < depth; i++)
		h = nodes_mixed(h ^ stack[i]);
	return (uint32_t)(h % SHARED);
}

static bool nodes_stack_same(const uint32_t *kept, const uint32_t *stack,
	int depth)
{
	return kept[0] == (uint32_t)depth &&
	       memcmp(kept + 1, stack, sizeof *stack * (size_t)depth) == 0;
}

/* Copies the stack to words[]. STACK_UNSET if there is no room. */
static uint32_t nodes_stack_copy(struct nodes *n, const uint32_t *stack,
	int depth)
{
	uint64_t need = (uint64_t)depth + 1;
	if (atomic_load(&n->used) + need > WORDS)
		return STACK_UNSET;
	uint64_t at = atomic_fetch_add(&n->used, need);
	if (at + need > WORDS)
		return STACK_UNSET;
	n->words[at] = (uint32_t)depth;
	memcpy(&n->words[at + 1], stack, sizeof *stack * (size_t)depth);
	return (uint32_t)at;
}

/* The position of a stack in words[]. A stack that is not found within a few
 * tries is stored a second time, which only uses more memory. */
static uint32_t nodes_stack_keep(struct nodes *n, const uint32_t *stack,
	int depth)
{
	uint32_t place = nodes_stack_place(stack, depth), copy = STACK_UNSET;

	for (int i = 0; i < TRIES; i++, place = (place + 1) % SHARED) {
		uint32_t at = atomic_load_explicit(&n->shared[place],
			memory_order_acquire);
		if (!at) {
			if (!copy)
				copy = nodes_stack_copy(n, stack, depth);
			if (!copy ||
				atomic_compare_exchange_strong(&n->shared
									[place],
					&at, copy))
				return copy;
		}
		if (nodes_stack_same(&n->words[at], stack, depth))
			return at;
	}
	return copy ? copy : nodes_stack_copy(n, stack, depth);
}

static _Atomic uint32_t *nodes_index_first(struct nodes *n, uint64_t node)
{
	return &n->index[nodes_mixed(node) % INDEX];
}

static _Atomic uint32_t *nodes_index_next(struct nodes *n, _Atomic uint32_t *at)
{
	return ++at == &n->index[INDEX] ? n->index : at;
}

/* The position of the node in the index, or the empty position where it would
 * be stored. There is always one, because the index is twice as large as the
 * number of entries. */
static _Atomic uint32_t *nodes_index_find(struct nodes *n, uint64_t node,
	_Atomic uint32_t *at, struct nodes_entry **found)
{
	for (;; at = nodes_index_next(n, at)) {
		uint32_t number =
			atomic_load_explicit(at, memory_order_acquire);
		*found = number ? &n->entries[number - 1] : NULL;
		if (!number || (*found)->node == node)
			return at;
	}
}

/* The node's entry and its stack. NULL if the node has no entry. */
static struct nodes_entry *nodes_entry_of(struct nodes *n, uint64_t node,
	uint32_t *stack)
{
	struct nodes_entry *e;
	nodes_index_find(n, node, nodes_index_first(n, node), &e);
	*stack = e ? atomic_load_explicit(&e->stack, memory_order_acquire)
		   : STACK_OVER;
	if (*stack != STACK_OVER)
		return e;
	*stack = STACK_UNSET;
	return NULL;
}

/* A new entry that is not in the index yet. 0 if none is left. */
static uint32_t nodes_entry_claim(struct nodes *n)
{
	if (atomic_load(&n->claimed) >= NODES_MAX)
		return 0;
	uint64_t at = atomic_fetch_add(&n->claimed, 1);
	return at < NODES_MAX ? (uint32_t)at + 1 : 0;
}

static void nodes_keep(struct nodes *n, uint64_t node, uint32_t stack,
	bool cloned)
{
	uint32_t number = nodes_entry_claim(n);
	if (!number) {
		atomic_fetch_add(&n->lost, 1);
		return;
	}
	struct nodes_entry *fresh = &n->entries[number - 1], *before;
	fresh->node = node;
	fresh->cloned = cloned;
	atomic_store_explicit(&fresh->stack, stack, memory_order_release);
	_Atomic uint32_t *at = nodes_index_first(n, node);
	uint32_t was;
	do {
		at = nodes_index_find(n, node, at, &before);
		was = before ? (uint32_t)(before - n->entries) + 1 : 0;
	} while (!atomic_compare_exchange_strong(at, &was, number));
	if (before)
		atomic_store(&before->stack, STACK_OVER);
}

/* CUPTI reports a node that cloning makes both as cloned and as created, in an
 * unspecified order. Its ranges are those of the original, not those of the
 * thread that instantiates the graph. */
void nodes_created(struct nodes *n, uint64_t node, const uint32_t *stack,
	int depth)
{
	uint32_t before, at = STACK_UNSET;
	struct nodes_entry *e = nodes_entry_of(n, node, &before);
	if (e && e->cloned)
		return;
	if (depth > 0)
		at = nodes_stack_keep(n, stack,
			depth < NODES_DEPTH ? depth : NODES_DEPTH);
	if (depth > 0 && !at)
		atomic_fetch_add(&n->lost, 1);
	else if (at && at != before)
		nodes_keep(n, node, at, false);
	else if (!at && e)
		atomic_store(&e->stack, STACK_OVER);
}

void nodes_cloned(struct nodes *n, uint64_t from, uint64_t to)
{
	uint32_t stack, before;
	struct nodes_entry *e = nodes_entry_of(n, to, &before);
	nodes_entry_of(n, from, &stack);
	if (stack != STACK_UNSET && (stack != before || !e->cloned))
		nodes_keep(n, to, stack, true);
	else if (stack == STACK_UNSET && e)
		atomic_store(&e->stack, STACK_OVER);
}

void nodes_write(struct nodes *n, nodes_fn *f, void *ctx)
{
	uint64_t end = atomic_load(&n->claimed);
	if (end > NODES_MAX)
		end = NODES_MAX;
	for (; n->written < end; n->written++) {
		struct nodes_entry *e = &n->entries[n->written];
		uint32_t at =
			atomic_load_explicit(&e->stack, memory_order_acquire);
		if (at == STACK_UNSET)
			return; /* another thread is filling it; it is written
				 * the next time */
		if (at != STACK_OVER &&
			!f(ctx, e->node, &n->words[at + 1], (int)n->words[at]))
			return;
	}
}

void nodes_again(struct nodes *n)
{
	n->written = 0;
}

int64_t nodes_lost(struct nodes *n)
{
	return atomic_exchange(&n->lost, 0);
}

/* names.c - two lock-free tables: pointers to numbers, contents to numbers.
 *
 * A name is copied into our memory before a slot has its number, and no slot
 * is ever freed. So a thread that sees a number also sees its text. If two
 * threads add the same new name at the same time, both copy it and one of them
 * gets the slot. The other thread takes the number in the slot. It frees its
 * own copy unless another copy was added after it. */
#include "names.h"
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum {
	LONGEST = 64 << 10, /* a longer name is cut */
	SLOTS = 2 * NAMES_MAX, /* for contents: at most half of them are used */
	SETS = 1 << 12, /* for pointers */
	WAYS = 4, /* per set, which is a cache line */
	ID_BITS = 17,
	POINTER_BITS = 57, /* maximum bits of an address in a program */
	TAG_BITS = POINTER_BITS - 12,
	PREFIX = 16, /* bytes that are compared each time */
	LOWEST = 1 << 16, /* strings of programs have no lower address */
};
#define IDS ((UINT64_C(1) << ID_BITS) - 1)
#define TAGS ((UINT64_C(1) << TAG_BITS) - 1)
_Static_assert(TAG_BITS + ID_BITS <= 64, "a tag and a number are one word");
_Static_assert(NAMES_FULL < 1 << ID_BITS, "all numbers fit");

/* A pointer's tag and number. `checked` is this word mixed with the epoch in
 * which the complete name was last compared. The two are written one after the
 * other. A reader that sees only one of the two changes compares the name
 * again. */
struct way {
	_Atomic uint64_t word, checked;
};

struct kernel_names {
	_Alignas(64) struct way sets[SETS][WAYS];
	_Atomic uint64_t slots[SLOTS]; /* hash's upper half, number */
	struct names_text {
		uint32_t at, len;
	} texts[NAMES_MAX];
	_Alignas(64) _Atomic uint64_t top; /* numbers given, bytes used */
	_Atomic uint64_t epoch;
	_Atomic int64_t lost;
	char bytes[NAMES_BYTES];
};

struct kernel_names *names_new(void)
{
	struct kernel_names *n = mmap(NULL, sizeof *n, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (n == MAP_FAILED)
		return NULL;
	atomic_store(&n->epoch, 1);
	return n;
}

void names_free(struct kernel_names *n)
{
	if (n)
		munmap(n, sizeof *n);
}

void names_forget_pointers(struct kernel_names *n)
{
	atomic_fetch_add_explicit(&n->epoch, 1, memory_order_acq_rel);
}

static uint64_t names_hash(const char *name, size_t len)
{
	uint64_t h = len * 0x9E3779B97F4A7C15u, v;
	for (; len >= sizeof v; len -= sizeof v, name += sizeof v) {
		memcpy(&v, name, sizeof v);
		h = (h ^ v) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	v = 0;
	memcpy(&v, name, len);
	h = (h ^ v) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

/* Copies one more name. Returns 0 if there is no room. */
static uint32_t names_write_down(struct kernel_names *n, const char *name,
	size_t len, uint64_t *before, uint64_t *after)
{
	uint64_t top = atomic_load_explicit(&n->top, memory_order_relaxed);
	uint64_t at, id;
	do {
		at = (uint32_t)top;
		id = (top >> 32) + 1;
		if (id >= NAMES_MAX || len + 1 > NAMES_BYTES - at)
			return 0;
		*after = id << 32 | (at + len + 1);
	} while (!atomic_compare_exchange_weak_explicit(&n->top, &top, *after,
		memory_order_acq_rel, memory_order_relaxed));
	*before = top;
	n->texts[id] = (struct names_text){ (uint32_t)at, (uint32_t)len };
	memcpy(n->bytes + at, name, len);
	n->bytes[at + len] = '\0';
	return (uint32_t)id;
}

static bool names_same(const struct kernel_names *n, uint64_t id,
	const char *name, size_t len)
{
	const struct names_text *t = &n->texts[id];
	return t->len == len && !memcmp(n->bytes + t->at, name, len);
}

/* The number of these bytes. They get a new number if they are new. */
static uint32_t names_by_content(struct kernel_names *n, const char *name,
	size_t len)
{
	uint64_t h = names_hash(name, len), mine = 0, before = 0, after = 0;
	for (uint64_t i = h;; i++) {
		_Atomic uint64_t *slot = &n->slots[i % SLOTS];
		uint64_t is = atomic_load_explicit(slot, memory_order_acquire);
		if (!is) {
			if (!mine)
				mine = names_write_down(n, name, len, &before,
					&after);
			if (!mine) {
				atomic_fetch_add_explicit(&n->lost, 1,
					memory_order_relaxed);
				return NAMES_FULL;
			}
			if (atomic_compare_exchange_strong_explicit(slot, &is,
				    (h >> 32) << 32 | mine,
				    memory_order_acq_rel, memory_order_acquire))
				return (uint32_t)mine;
		}
		if (is >> 32 != h >> 32 ||
			!names_same(n, (uint32_t)is, name, len))
			continue;
		if (mine)
			atomic_compare_exchange_strong_explicit(&n->top, &after,
				before, memory_order_acq_rel,
				memory_order_relaxed);
		return (uint32_t)is;
	}
}

/* Whether the way's number still belongs to the bytes at the pointer. */
static bool names_believed(const struct kernel_names *n, struct way *w,
	uint64_t word, const char *name, uint64_t colours)
{
	const struct names_text *t = &n->texts[word & IDS];
	uint64_t seen = atomic_load_explicit(&w->checked, memory_order_relaxed);
	if (seen == (word ^ colours))
		return !strncmp(n->bytes + t->at, name, PREFIX);
	if (strnlen(name, LONGEST) != t->len ||
		memcmp(n->bytes + t->at, name, t->len) != 0)
		return false;
	atomic_store_explicit(&w->checked, word ^ colours,
		memory_order_relaxed);
	return true;
}

uint32_t names_pin(struct kernel_names *n, const char *name)
{
	uint64_t pointer = (uintptr_t)name;
	if (pointer < LOWEST || pointer >> POINTER_BITS)
		return NAMES_NONE;
	/* A product with an odd number, modulo a power of two, differs for
	 * each pointer. */
	uint64_t h = pointer * 0x9E3779B97F4A7C15u << (64 - POINTER_BITS);
	struct way *set = n->sets[h >> (64 - POINTER_BITS + TAG_BITS)];
	uint64_t tag = (h >> (64 - POINTER_BITS)) & TAGS;
	uint64_t epoch = atomic_load_explicit(&n->epoch, memory_order_acquire);
	uint64_t colours = epoch * 0xD6E8FEB86659FD93u;
	struct way *to = &set[epoch % WAYS];

	for (int i = WAYS - 1; i >= 0; i--) {
		uint64_t word = atomic_load_explicit(&set[i].word,
			memory_order_acquire);
		if (!word || word >> ID_BITS == tag)
			to = &set[i];
		if (!word || word >> ID_BITS != tag)
			continue;
		if (names_believed(n, to, word, name, colours))
			return (uint32_t)(word & IDS);
		break;
	}
	uint32_t id = names_by_content(n, name, strnlen(name, LONGEST));
	if (id == NAMES_FULL)
		return id;
	uint64_t word = tag << ID_BITS | id;
	atomic_store_explicit(&to->word, word, memory_order_release);
	atomic_store_explicit(&to->checked, word ^ colours,
		memory_order_relaxed);
	return id;
}

const char *names_text(const struct kernel_names *n, uint32_t id, size_t *len)
{
	bool given = id && id < NAMES_MAX && n->texts[id].len;
	*len = given ? n->texts[id].len : 0;
	return given ? n->bytes + n->texts[id].at : "";
}

int64_t names_lost(struct kernel_names *n)
{
	return atomic_exchange_explicit(&n->lost, 0, memory_order_relaxed);
}

/* names.h - gives each string a small number (its id).
 *
 * Equal byte strings get the same id. Ids count up from 0 in the order of first
 * appearance; id 0 is always the empty string. The texts are stored in the
 * arena and are valid until it is released. A lookup computes one hash and
 * usually compares one string. Not for sharing between threads. */
#pragma once
#include "arena.h"
#include <stdint.h>

enum { NAMES_NONE = UINT32_MAX };

struct name {
	const char *text; /* ends in NUL */
	uint32_t len;
	uint32_t hash;
};

struct names {
	struct arena *arena;
	/* indexed by id; names_put() moves it, but not the texts */
	struct name *list;
	uint32_t *slots; /* open addressing; contains id + 1, or 0 */
	uint32_t n, cap, slots_cap;
};

/* Returns false if the arena is already full. */
bool names_init(struct names *ns, struct arena *a);
/* The id of these bytes; NAMES_NONE if the arena is full. */
uint32_t names_put(struct names *ns, const char *s, size_t len);
/* The id of these bytes if they are known, else NAMES_NONE. */
uint32_t names_find(const struct names *ns, const char *s, size_t len);

static inline const char *names_text(const struct names *ns, uint32_t id)
{
	return ns->list[id].text;
}

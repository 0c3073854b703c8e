/* names.c - an open-addressing hash table over an arena. */
#include "names.h"
#include <string.h>

static uint32_t names_hash_of(const char *s, size_t len)
{
	uint64_t h = 0x9E3779B97F4A7C15u ^ len;
	for (; len >= 8; s += 8, len -= 8) {
		uint64_t w;
		memcpy(&w, s, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	uint64_t w = 0;
	memcpy(&w, s, len);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return (uint32_t)(h ^ h >> 32);
}

/* The slot that contains these bytes, or the free slot in which to store them.
 */
static uint32_t *names_slot(const struct names *ns, const char *s, size_t len,
	uint32_t hash)
{
	uint32_t mask = ns->slots_cap - 1;
	for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t id = ns->slots[i];
		if (!id)
			return &ns->slots[i];
		const struct name *n = &ns->list[id - 1];
		if (n->hash == hash && n->len == len &&
			!memcmp(n->text, s, len))
			return &ns->slots[i];
	}
}

static bool names_grow(struct names *ns)
{
	uint32_t cap = ns->slots_cap * 2;
	uint32_t *slots = arena_grow(ns->arena, NULL, cap * sizeof *slots);
	struct name *list =
		slots ? arena_grow(ns->arena, ns->list, cap / 2 * sizeof *list)
		      : NULL;
	if (!list) {
		arena_drop(ns->arena, slots);
		return false;
	}
	for (uint32_t id = 0; id < ns->n; id++) {
		uint32_t i = list[id].hash & (cap - 1);
		while (slots[i])
			i = (i + 1) & (cap - 1);
		slots[i] = id + 1;
	}
	arena_drop(ns->arena, ns->slots);
	ns->slots = slots;
	ns->list = list;
	ns->slots_cap = cap;
	ns->cap = cap / 2;
	return true;
}

bool names_init(struct names *ns, struct arena *a)
{
	*ns = (struct names){ .arena = a, .slots_cap = 16 };
	return names_grow(ns) && names_put(ns, "", 0) == 0;
}

uint32_t names_put(struct names *ns, const char *s, size_t len)
{
	uint32_t hash = names_hash_of(s, len);
	uint32_t *at = names_slot(ns, s, len, hash);
	if (*at)
		return *at - 1;
	if (len >= UINT32_MAX)
		return NAMES_NONE;
	if (ns->n == ns->cap) {
		if (!names_grow(ns))
			return NAMES_NONE;
		at = names_slot(ns, s, len, hash);
	}
	char *text = arena_strndup(ns->arena, s, len);
	if (!text)
		return NAMES_NONE;
	ns->list[ns->n] = (struct name){ text, (uint32_t)len, hash };
	*at = ++ns->n;
	return ns->n - 1;
}

uint32_t names_find(const struct names *ns, const char *s, size_t len)
{
	uint32_t id = *names_slot(ns, s, len, names_hash_of(s, len));
	return id ? id - 1 : NAMES_NONE;
}

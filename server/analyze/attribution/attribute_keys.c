/* attribute_keys.c - what is to be looked up before a process is analysed. */
#include "attribute.h"
#include "correlation.h"
#include "graph_key.h"
#include "graph_replay.h"
#include <string.h>

static bool keys_of(const struct trace *t, const struct graph_replays *r,
	struct arena *scratch, struct names *keys)
{
	uint8_t key[32];

	for (uint32_t i = 1; i < r->sequences.n; i++) {
		const struct name *is = &r->sequences.list[i];
		uint32_t *names = arena_grow(scratch, NULL, is->len);
		if (!names)
			return false;
		memcpy(names, is->text, is->len);
		graph_key(&t->names, names, (uint32_t)(is->len / sizeof *names),
			key);
		arena_drop(scratch, names);
		if (names_put(keys, (const char *)key, sizeof key) ==
			NAMES_NONE)
			return false;
	}
	return true;
}

static bool find(const struct trace *t, const struct process *proc,
	struct arena *scratch, struct names *keys)
{
	uint32_t *call_of;
	struct graph_replays r = { 0 };

	return names_init(keys, scratch) &&
	       correlation_join(t, proc, scratch, &call_of) &&
	       graph_replays_find(t, proc, call_of, scratch, &r) &&
	       keys_of(t, &r, scratch, keys);
}

bool attribute_keys(const struct trace *t, uint32_t process, struct arena *a,
	uint8_t (**keys)[32], uint32_t *n)
{
	struct arena scratch = arena_scratch(a);
	struct names found;

	*keys = NULL;
	*n = 0;
	bool ok = find(t, &t->processes[process], &scratch, &found);
	if (ok && found.n > 1) {
		*n = found.n - 1;
		*keys = arena_alloc(a, *n, sizeof **keys);
		ok = *keys;
		for (uint32_t i = 0; ok && i < *n; i++)
			memcpy((*keys)[i], names_text(&found, i + 1), 32);
	}
	arena_scratch_release(&scratch, a);
	return ok;
}

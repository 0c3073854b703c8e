/* texts.c - two tables: by content, and by what stands for a text. */
#include "texts.h"

void texts_init(struct texts *t, struct mapped *memory, uint32_t bits)
{
	*t = (struct texts){ .memory = memory,
		.bits = bits,
		.key = { key_random(), key_random() } };
}

void texts_forget(struct texts *t)
{
	mapped_drop(t->memory, t->slots);
	mapped_drop(t->memory, t->keys);
	t->slots = NULL;
	t->keys = NULL;
	t->n = 0;
}

struct texts_key *texts_key(struct texts *t, uint64_t key)
{
	size_t cap = (size_t)1 << t->bits;
	if (!t->keys)
		t->keys = mapped_grow(t->memory, NULL, cap * sizeof *t->keys);
	if (!t->keys)
		return NULL;
	struct texts_key *k =
		&t->keys[key * 0x9e3779b97f4a7c15u >> (64 - t->bits)];
	if (k->key != key)
		*k = (struct texts_key){ key, 0 };
	return k;
}

int64_t *texts_id(struct texts *t, const char *text, size_t len)
{
	size_t cap = (size_t)1 << t->bits;
	if (t->n >= cap / 2) {
		mapped_drop(t->memory, t->slots);
		t->slots = NULL;
		t->n = 0;
	}
	if (!t->slots)
		t->slots = mapped_grow(t->memory, NULL, cap * sizeof *t->slots);
	if (!t->slots)
		return NULL;
	uint64_t a = keyed_hash(&t->key[0], text, len);
	uint64_t b = keyed_hash(&t->key[1], text, len);
	struct texts_slot *s;
	for (size_t i = a & (cap - 1);; i = (i + 1) & (cap - 1)) {
		s = &t->slots[i];
		if (!s->id || (s->hash[0] == a && s->hash[1] == b))
			break;
	}
	if (!s->id) {
		s->hash[0] = a;
		s->hash[1] = b;
		t->n++;
	}
	return &s->id;
}

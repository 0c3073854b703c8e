/* kst_intern.c - two open-addressing tables, at most half full. */
#include "kst_intern.h"
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t shape_hash(const struct kst_shape *s)
{
	uint64_t words[sizeof *s / 8], h = 0;
	memcpy(words, s, sizeof words);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		h = mix(h, words[i]);
	return h;
}

static bool same(const struct kst_shape *a, const struct kst_shape *b)
{
	uint64_t x[sizeof *a / 8], y[sizeof *b / 8], differ = 0;
	memcpy(x, a, sizeof x);
	memcpy(y, b, sizeof y);
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		differ |= x[i] ^ y[i];
	return !differ;
}

/* The slot this shape is in, or the free one it belongs in. */
static uint32_t *shape_slot(const struct kst_intern *in,
	const struct kst_shape *s)
{
	uint32_t mask = in->shape_slots_cap - 1;
	uint32_t i = (uint32_t)shape_hash(s) & mask;
	while (in->shape_slots[i] &&
		!same(&in->shapes[in->shape_slots[i] - 1], s))
		i = (i + 1) & mask;
	return &in->shape_slots[i];
}

static bool shapes_grow(struct kst_intern *in)
{
	uint32_t cap = in->shapes_cap ? in->shapes_cap * 2 : 256;
	if (cap > UINT32_MAX / 4)
		return false;
	uint32_t *slots = kst_grow(in->memory, NULL, cap * 2 * sizeof *slots);
	struct kst_shape *shapes =
		slots ? kst_grow(in->memory, in->shapes, cap * sizeof *shapes)
		      : NULL;
	if (!shapes) {
		kst_drop(in->memory, slots);
		return false;
	}
	memset(slots, 0, cap * 2 * sizeof *slots);
	kst_drop(in->memory, in->shape_slots);
	in->shapes = shapes;
	in->shape_slots = slots;
	in->shapes_cap = cap;
	in->shape_slots_cap = cap * 2;
	for (uint32_t i = 0; i < in->shapes_n; i++)
		*shape_slot(in, &shapes[i]) = i + 1;
	return true;
}

int64_t kst_intern_shape(struct kst_intern *in, const struct kst_shape *s)
{
	if (in->shapes_n == in->shapes_cap && !shapes_grow(in))
		return -1;
	uint32_t *slot = shape_slot(in, s);
	if (!*slot) {
		in->shapes[in->shapes_n] = *s;
		*slot = ++in->shapes_n;
	}
	return *slot;
}

static struct kst_pair *pair_slot(const struct kst_intern *in, uint64_t name,
	uint64_t shape)
{
	uint32_t mask = in->pairs_cap - 1;
	uint32_t i = (uint32_t)mix(mix(0, name), shape) & mask;
	while (in->pairs[i].id &&
		(in->pairs[i].name != name || in->pairs[i].shape != shape))
		i = (i + 1) & mask;
	return &in->pairs[i];
}

/* Makes room for one more pair. */
static bool pairs_room(struct kst_intern *in)
{
	if (in->pairs_n < in->pairs_cap / 2)
		return true;
	if (in->pairs_n >= KST_LAUNCHES_MAX) {
		memset(in->pairs, 0, in->pairs_cap * sizeof *in->pairs);
		in->pairs_n = 0;
		return true;
	}
	uint32_t cap = in->pairs_cap ? in->pairs_cap * 2 : 512;
	struct kst_pair *old = in->pairs;
	uint32_t old_cap = in->pairs_cap;
	in->pairs = kst_grow(in->memory, NULL, cap * sizeof *in->pairs);
	if (!in->pairs) {
		in->pairs = old;
		return false;
	}
	memset(in->pairs, 0, cap * sizeof *in->pairs);
	in->pairs_cap = cap;
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].id)
			*pair_slot(in, old[i].name, old[i].shape) = old[i];
	kst_drop(in->memory, old);
	return true;
}

int64_t kst_intern_launch(struct kst_intern *in, uint64_t name, uint64_t shape,
	bool *added)
{
	*added = false;
	if (!pairs_room(in))
		return -1;
	struct kst_pair *p = pair_slot(in, name, shape);
	if (!p->id) {
		*p = (struct kst_pair){ name, shape, ++in->launches };
		in->pairs_n++;
		*added = true;
	}
	return (int64_t)p->id;
}

void kst_intern_release(struct kst_intern *in)
{
	kst_drop(in->memory, in->shapes);
	kst_drop(in->memory, in->shape_slots);
	kst_drop(in->memory, in->pairs);
	*in = (struct kst_intern){ .memory = in->memory };
}

/* kst_tables.c - ids in stretches, texts in blocks. */
#include "kst_tables.h"
#include <string.h>

#define NOT_TOLD                                       \
	{                                              \
		{ -1, -1, -1 }, { -1, -1, -1 }, -1, -1 \
	}

/* Makes room for n more in an array that grows. */
static bool room(const struct kst_memory *m, void **p, uint64_t *cap,
	uint64_t n, size_t each)
{
	if (n <= *cap)
		return true;
	uint64_t want = n < 512 ? 512 : n + n / 2;
	void *grown = kst_grow(m, *p, want * each);
	if (!grown)
		return false;
	*p = grown;
	*cap = want;
	return true;
}

bool kst_tables_init(struct kst_tables *t, const struct kst_memory *m)
{
	*t = (struct kst_tables){ .memory = m };
	if (!room(m, (void **)&t->texts, &t->texts_cap, 1, sizeof *t->texts) ||
		!room(m, (void **)&t->launches, &t->launches_cap, 1,
			sizeof *t->launches))
		return false;
	t->texts[t->texts_n++] = (struct kst_text){ "", 0 };
	t->launches[t->launches_n++] = (struct kst_known){ 0, NOT_TOLD, false };
	return true;
}

static enum kst_defined ids_add(struct kst_tables *t, struct kst_ids *ids,
	uint64_t first, uint64_t n, uint64_t place)
{
	struct kst_stretch *last = ids->n ? &ids->list[ids->n - 1] : NULL;
	uint64_t next = last ? last->first + last->n : 1, cap = ids->cap;
	if (first < next || first > INT64_MAX - n)
		return KST_DEFINED_NOT;
	if (last && first == next && place == last->place + last->n) {
		last->n += n;
		return KST_DEFINED;
	}
	if (!room(t->memory, (void **)&ids->list, &cap, ids->n + 1,
		    sizeof *ids->list) ||
		!ids->list)
		return KST_DEFINED_FULL;
	ids->cap = (uint32_t)cap;
	ids->list[ids->n++] = (struct kst_stretch){ first, n, place };
	return KST_DEFINED;
}

int64_t kst_ids_place(struct kst_ids *ids, uint64_t id)
{
	if (id == 0)
		return 0;
	if (ids->n == 0)
		return KST_LOST;
	const struct kst_stretch *s = &ids->list[ids->hit];
	if (id - s->first >= s->n) {
		uint32_t low = 0, high = ids->n; /* the last first <= id */
		while (high - low > 1) {
			uint32_t middle = low + (high - low) / 2;
			if (ids->list[middle].first <= id)
				low = middle;
			else
				high = middle;
		}
		s = &ids->list[low];
		if (id - s->first >= s->n)
			return KST_LOST;
		ids->hit = low;
	}
	return (int64_t)(s->place + (id - s->first));
}

/* Whether the n lengths at `at` add up to what is behind them. */
static const uint8_t *lengths(const uint8_t *at, const uint8_t *end, uint32_t n)
{
	uint64_t sum = 0, len;
	for (uint32_t i = 0; i < n; i++) {
		at = kst_varint_get(at, end, &len);
		if (!at || len > KST_TEXT_MAX)
			return NULL;
		sum += len;
	}
	return sum == (uint64_t)(end - at) ? at : NULL;
}

enum kst_defined kst_tables_texts(struct kst_tables *t, const uint8_t *at,
	size_t len, uint32_t n)
{
	const uint8_t *end = at + len;
	uint64_t first, size;
	if (n == 0 || !(at = kst_varint_get(at, end, &first)))
		return KST_DEFINED_NOT;
	const uint8_t *from = lengths(at, end, n);
	if (!from)
		return KST_DEFINED_NOT;
	struct kst_bytes *b =
		kst_grow(t->memory, NULL, sizeof *b + (size_t)(end - from) + n);
	if (!b)
		return KST_DEFINED_FULL;
	enum kst_defined d = KST_DEFINED_FULL;
	if (room(t->memory, (void **)&t->texts, &t->texts_cap, t->texts_n + n,
		    sizeof *t->texts))
		d = ids_add(t, &t->text_ids, first, n, t->texts_n);
	if (d != KST_DEFINED) {
		kst_drop(t->memory, b);
		return d;
	}
	b->below = t->bytes;
	t->bytes = b;
	char *to = b->at;
	for (uint32_t i = 0; i < n; i++) {
		at = kst_varint_get(at, end, &size);
		t->texts[t->texts_n++] = (struct kst_text){ to, size };
		memcpy(to, from, size);
		to[size] = '\0';
		to += size + 1;
		from += size;
	}
	return KST_DEFINED;
}

/* One launch from its cells; false where a number is none a shape can have. */
static bool launch(struct kst_known *to, const uint64_t *cells, uint32_t n)
{
	enum { NUMBERS = sizeof to->shape / sizeof(int32_t) };
	int32_t number[NUMBERS];
	uint32_t from = KST_COLUMN(launch, grid_x);
	to->name = (int64_t)cells[KST_COLUMN(launch, name) * (size_t)n];
	to->told = false;
	for (uint32_t i = 0; i < NUMBERS; i++) {
		int64_t v = (int64_t)cells[(from + i) * (size_t)n];
		if (v < INT32_MIN || v > INT32_MAX)
			return false;
		number[i] = (int32_t)v;
		to->told |= v != -1;
	}
	memcpy(&to->shape, number, sizeof number);
	return true;
}

_Static_assert(KST_COLUMN(launch, shared_bytes) - KST_COLUMN(launch, grid_x) +
			       1 ==
		       sizeof(struct kst_shape) / sizeof(int32_t),
	"the columns of a launch are the numbers of its shape, in order");

enum kst_defined kst_tables_launches(struct kst_tables *t,
	const uint64_t *cells, uint32_t n)
{
	const uint64_t *id = cells + KST_COLUMN(launch, id) * (size_t)n;
	for (uint32_t i = 0; i < n; i++)
		if (id[i] != id[0] + i)
			return KST_DEFINED_NOT;
	if (!room(t->memory, (void **)&t->launches, &t->launches_cap,
		    t->launches_n + n, sizeof *t->launches))
		return KST_DEFINED_FULL;
	for (uint32_t i = 0; i < n; i++)
		if (!launch(&t->launches[t->launches_n + i], cells + i, n))
			return KST_DEFINED_NOT;
	enum kst_defined d =
		ids_add(t, &t->launch_ids, id[0], n, t->launches_n);
	if (d == KST_DEFINED)
		t->launches_n += n;
	return d;
}

void kst_tables_release(struct kst_tables *t)
{
	while (t->bytes) {
		struct kst_bytes *below = t->bytes->below;
		kst_drop(t->memory, t->bytes);
		t->bytes = below;
	}
	kst_drop(t->memory, t->text_ids.list);
	kst_drop(t->memory, t->launch_ids.list);
	kst_drop(t->memory, t->texts);
	kst_drop(t->memory, t->launches);
}
